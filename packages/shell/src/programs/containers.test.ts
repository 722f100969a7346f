import { describe, expect, it } from "vitest";
import { hostsOf, pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("docker", () => {
  it.each([
    ["docker --version", "read-only"],
    ["docker-compose --version", "read-only"],
    ["docker ps -aq", "network"],
    ["docker ps -a --format '{{.Names}}'", "network"],
    ["docker container ls", "network"],
    ["docker logs -f --tail 10 app", "network"],
    ["docker compose ps", "network"],
    ["docker compose -f x.yml ps", "network project deviation"],
    ["docker -H ssh://h.example ps", "execute network deviation"],
    ["docker --context x ps", "execute network deviation"],
    ["docker --config x ps", "execute network project deviation"],
    ["docker --conf x ps", "unknown"],
    ["docker inspect app", "environment network"],
    ["docker container inspect app", "environment network"],
    ["docker compose config", "environment network project"],
    ["docker build -t x .", "network project system"],
    ["docker build --build-arg TOKEN .", "environment network project system"],
    ["docker build --secret id=x,env=TOKEN .", "environment network project system"],
    ["docker build --ssh default .", "network project system unknown"],
    ["docker build --allow security.insecure .", "network project system unknown"],
    ["docker build -o type=local,dest=x .", "network project system unknown"],
    ["docker buildx bake", "execute network system unknown"],
    ["docker run alpine", "execute network system unknown"],
    ["docker exec -it app sh", "execute network system unknown"],
    ["docker container exec app sh", "execute network system unknown"],
    ["docker compose exec web sh", "execute network system unknown"],
    ["docker compose up -d --build", "network project system"],
    ["docker pull x", "network system"],
    ["docker rm -fv app", "network system"],
    ["docker login", "network write unknown"],
    ["docker plugin-of-someone", "unknown"],
    ["podman run x", "execute network system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it.each([
    ["docker build -f ../Dockerfile src", ["load ../Dockerfile", "read src"]],
    ["docker build -f=.env .", ["load .env", "read ."]],
    ["docker build --secret id=x,src=.env .", ["read .", "read .env"]],
    ["docker build --build-context a=../b .", ["read .", "read ../b"]],
    ["docker build -o out --iidfile id .", ["write id", "read .", "write out"]],
    ["docker run --mount type=bind,source=/etc,target=/x a", ["write /etc"]],
    ["docker run -itv/:/x a", ["write /"]],
    ["docker run --env-file=.env a", ["read .env"]],
    ["docker run --mount type=volume,source=data,target=/x a", []],
    ["docker cp .env app:/", ["read .env"]],
    ["docker cp app:/x/.bashrc .", ["write .", "write ./.bashrc"]],
    ["docker save -o x.tar a", ["write x.tar"]],
    ["docker compose --env-file .env up", ["load .env"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });

  it("does not know where the value of a bundle starts", () => {
    expect(summary("docker build -qf=.env .")).toContain("unknown");
    expect(summary("kubectl get -Rf=.env")).toContain("unknown");
  });

  it("is widened where it only asks the daemon", () => {
    expect(widened("docker ps -a")).toBe("docker ps");
    expect(widened("docker compose logs web")).toBe("docker compose logs");
    expect(widened("docker compose -f x.yml logs web")).toBeNull();
    expect(widened("docker inspect x")).toBeNull();
    expect(widened("docker compose up")).toBeNull();
  });
});

describe("clusters", () => {
  it.each([
    ["kubectl version --client", "network"],
    ["kubectl version", "network"],
    ["kubectl get pods -A -o wide", "network"],
    ["kubectl get -o=yaml pods", "network"],
    ["kubectl logs -f pod -c x", "network"],
    ["kubectl describe pod x", "network"],
    ["kubectl get secret x -o yaml", "environment network"],
    ["kubectl get pods,secrets", "environment network"],
    ["kubectl get deploy/x secrets/y", "environment network"],
    ["kubectl get cm -o yaml", "environment network"],
    ["kubectl get --raw /api/v1/secrets", "environment network"],
    ["kubectl --context x get pods", "network deviation"],
    ["kubectl get pods --context=x", "network deviation"],
    ["kubectl get pods -s https://h.example", "network deviation"],
    ["kubectl --kubeconfig=x get pods", "execute network project deviation"],
    ["kubectl get -k .", "network unknown"],
    ["kubectl apply -f x.yml", "network unknown"],
    ["kubectl exec x -- sh", "execute network unknown"],
    ["kubectl plugin-of-someone", "unknown"],
    ["helm version", "read-only"],
    ["helm env", "environment"],
    ["helm template . --post-renderer ./x", "execute network project unknown"],
    ["minikube start", "execute network system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it.each([
    ["kubectl get -f=.env", ["read .env"]],
    ["kubectl get pods -o jsonpath-file=.env", ["read .env"]],
    ["kubectl get pods --template={{.x}}", []],
    ["kubectl config view --raw", ["read ~/.kube/config"]],
    ["kubectl get pods --client-key x --cache-dir y", ["read x", "write y"]],
    ["kubectl apply -f .env", ["read .env"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });

  it("names the hosts", () => {
    expect(hostsOf("kubectl -s https://h.example get pods")).toStrictEqual(["h.example"]);
    expect(hostsOf("kubectl get -f https://h.example/x.yml")).toStrictEqual(["h.example"]);
    expect(hostsOf("docker build https://h.example/x.git")).toStrictEqual(["h.example"]);
  });
});

describe("infrastructure and clouds", () => {
  it.each([
    ["tofu version", "read-only"],
    ["tofu fmt -check -recursive", "read-only"],
    ["tofu fmt -write=false", "read-only"],
    ["tofu fmt", "write"],
    ["tofu fmt -check=false", "unknown"],
    ["tofu fmt -check -diff", "execute"],
    ["terraform version", "network"],
    ["terraform fmt -check", "network"],
    ["terraform validate", "network project"],
    ["terraform plan -out=x", "network project write"],
    ["terraform plan -var-file=x", "network project deviation"],
    ["terraform -chdir=x plan", "network project deviation"],
    ["terraform show", "environment network project"],
    ["terraform apply", "execute network project unknown"],
    ["pulumi up", "execute network project unknown"],
    ["ansible-galaxy install x", "execute network project system unknown"],
    ["aws --version", "read-only"],
    ["aws s3 ls", "execute network unknown"],
    ["gcloud auth print-access-token", "execute network unknown"],
    ["vercel deploy", "execute network project unknown"],
    ["vault read secret/x", "environment execute network unknown"],
    ["vagrant ssh", "execute network system unknown"],
    ["nix-env -i x", "execute network system unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names what is sent to a cloud", () => {
    expect(pathsOf("aws s3 cp .env s3://x/")).toStrictEqual(["read .env"]);
    expect(pathsOf("aws lambda invoke --payload file://../x")).toStrictEqual(["read ../x"]);
    expect(pathsOf("az vm create --ssh-key-value @~/.ssh/x.pub")).toStrictEqual([
      "read ~/.ssh/x.pub",
    ]);
  });
});
