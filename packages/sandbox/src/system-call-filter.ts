/** The system call numbers of one architecture. */
interface CallNumbers {
  /** The kernel's constant for the architecture (AUDIT_ARCH_*). */
  readonly kind: number;
  readonly socket: number;
  /**
   * add_key, request_key, keyctl, io_uring_setup, and calls that create sockets in a way that a filter cannot inspect.
   */
  readonly refused: readonly number[];
}

const x64: CallNumbers = { kind: 0xc000003e, socket: 41, refused: [248, 249, 250, 425] };
const x86: CallNumbers = { kind: 0x40000003, socket: 359, refused: [102, 286, 287, 288, 425] };
const arm64: CallNumbers = { kind: 0xc00000b7, socket: 198, refused: [217, 218, 219, 425] };
const arm: CallNumbers = { kind: 0x40000028, socket: 281, refused: [102, 309, 310, 311, 425] };

const known: Partial<Record<NodeJS.Architecture, readonly CallNumbers[]>> = {
  x64: [x64, x86],
  arm64: [arm64, arm],
};

/** Numbers from here on belong to the x32 ABI, which is not in use. */
const x32Min = 0x40000000;
/** Sockets between virtual machines and their host. Network namespaces do not isolate them. */
const vsock = 40;

const [noSuchCall, noSuchFamily] = [38, 97];
const codes = { load: 0x20, ifEqual: 0x15, ifAtLeast: 0x35, answer: 0x06 };
const allow = 0x7fff0000;
const refuseWith = (error: number) => 0x00050000 | error;
/** Offsets in the kernel's `seccomp_data`. */
const offsets = { call: 0, kind: 4, firstArgument: 16 };

type Instruction = readonly [code: number, yes: number, no: number, value: number];

const load = (offset: number): Instruction => [codes.load, 0, 0, offset];
const answer = (value: number): Instruction => [codes.answer, 0, 0, value];
const answerIf = (code: number, value: number, error: number): Instruction[] => [
  [code, 0, 1, value],
  answer(refuseWith(error)),
];

/**
 * The seccomp program that bubblewrap installs. It refuses session keyrings, which are shared with processes outside;
 * sockets to the host of a virtual machine; and io_uring, which creates sockets without passing the filter. Null if the
 * numbers of the architecture are unknown.
 */
export function systemCallFilter(machine: NodeJS.Architecture = process.arch): Buffer | null {
  const kinds = known[machine];
  if (kinds === undefined) return null;
  const program = kinds.flatMap(instructionsFor);
  const bytes = [...program, answer(allow)].map(([code, yes, no, value]) => {
    const instruction = Buffer.alloc(8);
    instruction.writeUInt16LE(code);
    instruction.writeUInt8(yes, 2);
    instruction.writeUInt8(no, 3);
    instruction.writeUInt32LE(value >>> 0, 4);
    return instruction;
  });
  return Buffer.concat(bytes);
}

function instructionsFor({ kind, socket, refused }: CallNumbers): Instruction[] {
  const calls: Instruction[] = [
    load(offsets.call),
    ...(kind === x64.kind ? answerIf(codes.ifAtLeast, x32Min, noSuchCall) : []),
    ...refused.flatMap((number) => answerIf(codes.ifEqual, number, noSuchCall)),
    [codes.ifEqual, 1, 0, socket],
    answer(allow),
    load(offsets.firstArgument),
    ...answerIf(codes.ifEqual, vsock, noSuchFamily),
    answer(allow),
  ];
  return [load(offsets.kind), [codes.ifEqual, 0, calls.length, kind], ...calls];
}
