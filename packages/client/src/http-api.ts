import { operationNames, operations, rowOf, type HttpOperationName } from "@landline/protocol";
import type { Api, CallOptions } from "./api.ts";
import { checkedAnswers } from "./checked-answers.ts";
import type { Changed } from "./commands.ts";
import type { Http } from "./http.ts";
import { requestOf } from "./operation-request.ts";

/** Operations for which the gateway may have to start an agent. */
const startsAgent: ReadonlySet<HttpOperationName> = new Set([
  "list-sign-in-methods",
  "list-agent-sessions",
]);

/** One method for each operation of the table. */
export function httpApi(http: Http, changed: (what: Changed) => void = () => {}): Api {
  const call = async (name: HttpOperationName, input: object = {}, options: CallOptions = {}) => {
    const { method, path, ...parts } = requestOf(name, input);
    const patient = startsAgent.has(name) ? { withinMs: http.timing.commandMs } : {};
    const answer = await http.record(method, path, { ...parts, ...patient, ...options });
    const { changes } = rowOf(name);
    if (changes) changed(changes);
    const check = (checkedAnswers as Readonly<Record<string, (answer: never) => unknown>>)[name];
    return check ? check(answer as never) : answer;
  };
  const named = operationNames
    .filter((name): name is HttpOperationName => operations[name].http !== null)
    .map((name) => [
      name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      (input?: object, options?: CallOptions) => call(name, input, options),
    ]);
  const api = Object.fromEntries(named) as Omit<Api, "text" | "exportUrl">;
  return {
    ...api,
    text: (name, input) => {
      const { method, path, ...parts } = requestOf(name, input);
      return http.text(method, path, { ...parts, accept: "*/*" });
    },
    exportUrl: async (input) => {
      const { path, query } = requestOf("export", input);
      const asked = new URLSearchParams(query as Record<string, string>);
      const { ticket } = await api.addTicket({ address: `/${path}?${asked}` });
      return http.address.httpUrl(path, { ...query, ticket });
    },
  };
}
