import { malformed, readerOf, s32Bytes, u32Bytes } from './byte-reader.js';
import { OPCODE, readInstruction } from './instructions.js';

/** Instructions that are run together: a function outside its loops, or one round of a loop outside the loops in it. */
interface Stretch {
  /** Where it is paid for: behind the function's locals, or behind the `loop`. */
  readonly from: number;
  instructions: number;
}

/** Instructions that one unit of fuel pays for; with fewer, 31 bits of fuel would be used up in a tenth of a second. */
const UNIT = 16;

const GLOBAL_GET = 0x23;
const GLOBAL_SET = 0x24;
const I32_CONST = 0x41;
const I32_SUB = 0x6b;
const I32_LT_S = 0x48;
const EMPTY_BLOCK = 0x40;

/**
 * A function that pays for its instructions before it runs them, and for those of a loop on every round.
 * @param fuel index of the global that holds what is left
 */
export function meteredBody(body: Uint8Array, fuel: number): Buffer {
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const { from, instructions } of stretchesOf(body)) {
    parts.push(
      body.subarray(done, from),
      Buffer.from(payment(fuel, Math.ceil(instructions / UNIT))),
    );
    done = from;
  }
  return Buffer.concat([...parts, body.subarray(done)]);
}

function stretchesOf(body: Uint8Array): readonly Stretch[] {
  const reader = readerOf(body);
  for (let groups = reader.u32(); groups > 0; groups -= 1) {
    reader.skipLeb();
    reader.byte();
  }
  const whole: Stretch = { from: reader.at(), instructions: 0 };
  const found = [whole];
  // The stretch of each open block, outermost first.
  const open = [whole];
  while (!reader.isAtEnd()) {
    const current = open.at(-1);
    if (current === undefined) throw malformed('a function goes on behind its end');
    current.instructions += 1;
    const opcode = readInstruction(reader);
    if (opcode === OPCODE.loop) {
      const loop = { from: reader.at(), instructions: 0 };
      found.push(loop);
      open.push(loop);
    } else if (opcode === OPCODE.block || opcode === OPCODE.if) open.push(current);
    else if (opcode === OPCODE.end) open.pop();
  }
  if (open.length > 0) throw malformed('a function has no end');
  return found;
}

/** `fuel -= cost; if (fuel < 0) trap` */
const payment = (fuel: number, cost: number): readonly number[] => [
  ...[GLOBAL_GET, ...u32Bytes(fuel), I32_CONST, ...s32Bytes(cost), I32_SUB],
  ...[GLOBAL_SET, ...u32Bytes(fuel), GLOBAL_GET, ...u32Bytes(fuel), I32_CONST, 0, I32_LT_S],
  ...[OPCODE.if, EMPTY_BLOCK, OPCODE.unreachable, OPCODE.end],
];
