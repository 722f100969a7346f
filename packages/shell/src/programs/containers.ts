import type { ProgramTable } from "../arguments/program-spec.ts";
import { compose, docker } from "./docker.ts";
import { kubernetes } from "./kubernetes.ts";
import { prints } from "./spec-builders.ts";
import { terraform } from "./terraform.ts";
import { mentions } from "./word-helpers.ts";

/** Containers, virtual machines, clusters and clouds. */
export const containers: ProgramTable = {
  "docker|podman|nerdctl|finch": docker,
  "docker-compose|podman-compose": compose,
  "buildah|skopeo|crane|dive|ctop|lazydocker|devcontainer|pack|trivy|grype|syft":
    mentions("execute network system"),
  ...kubernetes,
  // Every command checks for newer versions on a server.
  terraform: terraform("network"),
  tofu: terraform(""),
  "terragrunt|terraform-docs|tflint|tfsec|checkov|infracost|packer|pulumi|cdk|cdktf|sam|serverless|sls|sst|copilot|chalice|bicep|crossplane":
    mentions("execute network project"),
  "ansible-galaxy|ansible-vault|ansible-inventory|ansible-lint|ansible-console|ansible-pull|ansible-config|ansible-doc|puppet|chef|knife|salt|salt-call|salt-ssh":
    mentions("execute network project system"),
  "aws|aws_completer": prints("--version", mentions("execute network")),
  "az|gcloud|gsutil|bq|doctl|hcloud|linode-cli|vultr-cli|oci|ibmcloud|scw|aliyun|civo|exo|upctl|ovhcloud":
    mentions("execute network"),
  "vercel|vc|now|wrangler|fly|flyctl|heroku|netlify|ntl|railway|render|supabase|firebase|amplify|eb|surge|deployctl|cf|ghcr|convex|neonctl|turso|planetscale|pscale":
    mentions("execute network project"),
  "vault|bao|consul|nomad|boundary|waypoint": prints(
    "--version",
    mentions("environment execute network"),
  ),
  "systemd-nspawn|machinectl|lxc|lxc-start|lxc-attach|lxd|incus|vagrant|virsh|virt-install|VBoxManage|multipass|lima|limactl|colima|orb|orbctl|qemu-system-x86_64|qemu-system-aarch64|qemu-img|firecracker|tart|utmctl|apptainer|singularity|distrobox|toolbox":
    mentions("execute network system"),
  "nix-env|nix-store|nix-instantiate|nix-channel|nix-collect-garbage|nixos-rebuild|home-manager|darwin-rebuild|guix|devenv|flox":
    prints("--version", mentions("execute network system")),
};
