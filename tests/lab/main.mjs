// One run of the fault lab: docs/lab.md.
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import '../support/run-typescript.mjs';

const { planFor, runLab } = await import('./run.ts');
const { describeFault } = await import('./fault.ts');
const { shrunk } = await import('./shrink.ts');

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    minutes: { type: 'string', default: '2' },
    store: { type: 'string', default: 'mongodb' },
    shrink: { type: 'boolean', default: false },
    history: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'usage: scripts/test-env/lab.sh [--seed N] [--minutes N] [--store mongodb|sqlite] [--shrink] [--history FILE]',
  );
  process.exit(0);
}
const options = {
  seed: Number(values.seed),
  store: values.store,
  durationMs: Number(values.minutes) * 60_000,
};
const plan = planFor(options);
console.log(`seed ${values.seed}, ${values.store}, ${values.minutes} min, ${plan.length} faults`);

/** A machine with too much other work starts parts more slowly than the faults of the run leave them time. */
const loads = [];
const sampling = setInterval(() => loads.push(loadavg()[0]), 15_000);
const report = await runLab({ ...options, plan });
clearInterval(sampling);
const { entries, violations, leftOut } = report;
for (const [kind, why] of Object.entries(leftOut)) console.log(`without ${kind}: ${why}`);
if (values.history !== undefined)
  writeFileSync(values.history, entries.map((entry) => JSON.stringify(entry)).join('\n'));
const count = (kind) => entries.filter((entry) => entry.kind === kind).length;
console.log(
  `${count('request')} requests, ${count('order')} orders, ${count('write')} writes, ${count('allocated')} allocations, ${count('former')} looks of former tenants, ${count('lock')} writes under locks`,
);
if (loads.length > 0) {
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  console.log(
    `load of the machine: ${mean.toFixed(1)} on average, ${Math.max(...loads).toFixed(1)} at most, on ${availableParallelism()} cores`,
  );
}
for (const violation of violations) console.log(`VIOLATION ${violation}`);
if (violations.length > 0) {
  console.log(
    `again: make lab SEED=${values.seed} MINUTES=${values.minutes} STORE=${values.store}`,
  );
  const fewest = values.shrink
    ? await shrunk(plan, async (fewer) => {
        const { violations: found } = await runLab({ ...options, plan: fewer });
        console.log(`${fewer.length} faults: ${found.length} violations`);
        return found.length > 0;
      })
    : plan;
  console.log(values.shrink ? 'the faults that it needs:' : 'faults:');
  for (const fault of fewest) console.log(`  ${describeFault(fault)}`);
}
process.exitCode = violations.length > 0 ? 1 : 0;
console.log(violations.length > 0 ? `${violations.length} violations` : 'no violation');
