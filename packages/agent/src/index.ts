export { runAgent } from "./main.ts";
