import { useAgents, useLandline } from "@landline/client/react";
import { LandlineError, type AgentProgress, type AgentSummary } from "@landline/protocol";
import { ExternalLink } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { toast } from "sonner";
import { Ansi } from "../content/ansi.tsx";
import { linkTarget } from "../content/link-target.ts";
import { ScrollRegion } from "../content/scroll-region.tsx";
import { runCommand, describeError, showError } from "../state/run-command.ts";
import { useIsAdmin } from "../state/session.tsx";
import { useLoaded } from "../state/use-loaded.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useIsMounted } from "../ui/use-is-mounted.ts";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { SignInQuestion } from "./sign-in-question.tsx";

const SignInTerminal = lazy(async () => ({
  default: (await import("./sign-in-terminal.tsx")).SignInTerminal,
}));

export interface SignInProps {
  readonly agentId: string;
  readonly onClose: () => void;
}

export function SignIn(props: SignInProps) {
  return useIsAdmin() ? <AdminSignIn {...props} /> : <OnlyForAdmins {...props} />;
}

function OnlyForAdmins({ agentId, onClose }: SignInProps) {
  const name = useAgents()?.find(({ id }) => id === agentId)?.name ?? agentId;
  return (
    <Dialog title={`Sign in to ${name}`} isOpen onClose={onClose}>
      <p className="text-sm">
        Only an admin can sign in to agents. Ask whoever runs the gateway, or open a link with the
        role “admin”.
      </p>
    </Dialog>
  );
}

function AdminSignIn({ agentId, onClose }: SignInProps) {
  const landline = useLandline();
  const agent = useAgents()?.find(({ id }) => id === agentId);
  const name = agent?.name ?? agentId;
  const [running, setRunning] = useState<string | null>(null);
  const progress = agent?.progress?.what === "sign-in" ? agent.progress : null;
  const [failure, setFailure] = useState<FailureProps | null>(null);
  const isCancelled = useRef(false);
  const isMounted = useIsMounted();
  const begin = async (methodId: string) => {
    setRunning(methodId);
    setFailure(null);
    isCancelled.current = false;
    try {
      await landline.signIn(agentId, methodId);
      toast.success(`You are signed in to ${name}.`);
      // Another overlay may be open by now.
      if (isMounted.current) onClose();
    } catch (error) {
      // The person cancelled it and knows.
      if (isCancelled.current) return;
      if (isMounted.current) setFailure(failureOf(error));
      else showError(error);
    } finally {
      setRunning(null);
    }
  };
  const isUnderWay = progress !== null;
  const isSignedIn = agent?.signedIn === true;
  const wasUnderWay = useRef(false);
  useEffect(() => {
    const isOver = wasUnderWay.current && !isUnderWay;
    wasUnderWay.current = isUnderWay;
    // A sign-in that was started elsewhere or before ends here, too.
    if (isOver && isSignedIn && running === null && !isCancelled.current) onClose();
  }, [isUnderWay, isSignedIn, running, onClose]);
  const cancel = () => {
    isCancelled.current = true;
    void runCommand(landline.cancelSignIn(agentId));
  };
  return (
    <Dialog
      title={`Sign in to ${name}`}
      isOpen
      onClose={onClose}
      isWide={progress?.terminalId !== undefined}
      {...(progress || running
        ? {}
        : { about: "Choose a method. The sign-in runs on the gateway’s computer." })}
    >
      {progress || running !== null ? (
        <Running agentId={agentId} progress={progress} onCancel={cancel} />
      ) : (
        <>
          {failure === null ? null : <Failure {...failure} />}
          <ChooseMethod
            agentId={agentId}
            name={name}
            known={agent?.signInMethods ?? none}
            onChoose={(methodId) => void begin(methodId)}
          />
        </>
      )}
    </Dialog>
  );
}

interface FailureProps {
  readonly message: string;
  readonly help: string | null;
  /** The last output of its program, or the agent's stderr. */
  readonly lastOutput: string;
}

function failureOf(error: unknown): FailureProps {
  return { ...describeError(error), lastOutput: lastOutputOf(error) };
}

function lastOutputOf(error: unknown): string {
  const { screen, stderr } = error instanceof LandlineError ? error.data : {};
  const words = typeof screen === "string" ? screen : stderr;
  return typeof words === "string" ? words.trim() : "";
}

function Failure({ message, help, lastOutput }: FailureProps) {
  return (
    <div role="alert" className="mb-3 rounded-card bg-bad-soft px-3 py-2 text-sm">
      <p className="text-bad">{message}</p>
      {help === null ? null : (
        <p>
          <TextWithCode text={help} />
        </p>
      )}
      {lastOutput === "" ? null : (
        <ScrollRegion name="Last output" className="mt-2 max-h-40 rounded-card bg-sunken p-2">
          <pre className="w-max max-w-full font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
            <Ansi text={lastOutput} />
          </pre>
        </ScrollRegion>
      )}
    </div>
  );
}

type Methods = AgentSummary["signInMethods"];

const none: Methods = [];

interface MethodsProps {
  readonly agentId: string;
  readonly name: string;
  /** Known if the agent was started before. */
  readonly known: Methods;
  readonly onChoose: (methodId: string) => void;
}

function ChooseMethod({ agentId, name, known, onChoose }: MethodsProps) {
  const [tries, setTries] = useState(0);
  if (known.length > 0) return <MethodList methods={known} onChoose={onChoose} />;
  const again = () => setTries((before) => before + 1);
  return (
    <AskedMethods key={tries} agentId={agentId} name={name} onChoose={onChoose} onAgain={again} />
  );
}

interface AskedMethodsProps extends Omit<MethodsProps, "known"> {
  readonly onAgain: () => void;
}

/** Starts the agent to learn its sign-in methods. */
function AskedMethods({ agentId, name, onChoose, onAgain }: AskedMethodsProps) {
  const { api } = useLandline();
  const load = useCallback(
    () => api.listSignInMethods({ agent: agentId }).catch(failureOf),
    [api, agentId],
  );
  const { value } = useLoaded(load);
  if (value === null) {
    return <output className="block text-sm text-soft">Asking {name} how to sign in…</output>;
  }
  if ("methods" in value) return <MethodList methods={value.methods} onChoose={onChoose} />;
  return (
    <div className="flex flex-col items-start gap-3">
      <Failure {...value} />
      <Button onClick={onAgain}>Try again</Button>
    </div>
  );
}

interface MethodListProps {
  readonly methods: Methods;
  readonly onChoose: (methodId: string) => void;
}

function MethodList({ methods, onChoose }: MethodListProps) {
  if (methods.length === 0) {
    return (
      <p className="text-sm text-soft">
        This agent offers no sign-in here. Run it once in a terminal and sign in there.
      </p>
    );
  }
  return (
    <ul className="flex flex-col gap-2">
      {methods.map(({ id, name, description }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => onChoose(id)}
            className="touchable w-full rounded-card border border-line px-3 py-2 text-left hover:bg-raised"
          >
            <span className="block text-sm font-medium">{name}</span>
            {description ? <span className="block text-sm text-soft">{description}</span> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface RunningProps {
  readonly agentId: string;
  readonly progress: AgentProgress | null;
  readonly onCancel: () => void;
}

function Running({ agentId, progress, onCancel }: RunningProps) {
  const cancel = <Button onClick={onCancel}>Cancel the sign-in</Button>;
  return (
    <div className="flex flex-col gap-3">
      {progress?.question === undefined ? (
        <output className="block text-sm">{progress?.message ?? "Waiting for the agent…"}</output>
      ) : null}
      {progress?.url === undefined ? null : <Address url={progress.url} />}
      {progress?.question === undefined ? null : (
        <SignInQuestion
          key={JSON.stringify(progress.question)}
          agentId={agentId}
          request={progress.question}
          otherwise={cancel}
        />
      )}
      {progress?.terminalId === undefined ? null : (
        <Suspense fallback={<p className="text-sm text-soft">Opening the terminal…</p>}>
          <SignInTerminal key={progress.terminalId} terminalId={progress.terminalId} />
        </Suspense>
      )}
      {progress?.question === undefined ? <div className="flex justify-end">{cancel}</div> : null}
    </div>
  );
}

/** A link for http and https only; other addresses are shown as text. */
function Address({ url }: { readonly url: string }) {
  const target = linkTarget(url);
  if (target.kind !== "web") return <p className="font-mono text-sm break-all">{url}</p>;
  return (
    <a
      href={target.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="touchable inline-flex items-center gap-2 self-start rounded-input bg-accent px-3 py-1 text-sm font-medium text-on-accent hover:opacity-90"
    >
      <ExternalLink size={16} strokeWidth={1.5} aria-hidden />
      Open {new URL(target.href).host}
    </a>
  );
}
