import { statfsSync } from 'node:fs';
import path from 'node:path';
import { type Environment, openOnDisk } from '@tenure/process';
import { type CommandContext } from '../../terminal/command-context.js';
import { allowsLocalBmcs, type PartPlan, planParts, type RunnablePart } from './layout.js';
import { ensureSecrets } from './secrets.js';
import { seedDemoFleet } from './seed.js';
import { stopAll } from './stop-all.js';
import { SupervisedPart } from './supervisor.js';

const MIN_FREE_BYTES = 1024 * 1024;

/** `tenure up`: every part as its own process on loopback, until Ctrl-C. */
export async function up(context: CommandContext): Promise<void> {
  const dataDir = path.resolve(context.env['TENURE_DATA_DIR'] ?? '.data');
  const logDir = path.join(dataDir, 'log');
  const say = (...lines: readonly string[]): void => {
    context.stdout.lines(lines);
  };
  await openOnDisk(`the data directory ${dataDir}`, () => {
    ensureSecrets(dataDir);
  });
  assertFreeSpace(dataDir);
  const plans = planParts(context.env, dataDir);
  const parts: SupervisedPart[] = [];
  const stopped = untilSignal();
  try {
    for (const plan of plans) {
      const part = new SupervisedPart(plan, { logDir, say });
      parts.push(part);
      const started = openOnDisk(`the log in ${logDir}`, () => part.start());
      const outcome = await Promise.race([started, stopped]);
      if (outcome !== undefined) return;
    }
    say(...banner(plans, await seed(context.env, dataDir, portOf(plans, 'inventory')), logDir));
    await stopped;
    for (const part of parts) part.leaveEnded();
    say('stopping');
  } finally {
    await stopAll(parts);
  }
  say('stopped');
}

/** Without free space a part could not even log why it does not start. */
function assertFreeSpace(dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize < MIN_FREE_BYTES)
    throw new Error(`the disk of the data directory ${dataDir} has no space left`);
}

const untilSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });

function banner(plans: readonly PartPlan[], fleet: string, logDir: string): readonly string[] {
  const endpoint = `http://127.0.0.1:${String(portOf(plans, 'gateway'))}`;
  return [
    '',
    `Tenure is up: ${endpoint} (inventory ${fleet}; logs in ${path.relative('.', logDir) || logDir})`,
    '',
    ...(allowsLocalBmcs(plans)
      ? [
          'BMCs at loopback addresses are allowed, for emulated ones (CONDUCTOR_BMC_ALLOW_LOOPBACK=true); set it to false to refuse them.',
          '',
        ]
      : []),
    'Try it as three personas, in another terminal:',
    '  OWNER=$(npx tenure token --user olga --project project-a --role member)',
    '  OTHER=$(npx tenure token --user theo --project project-c --role member)',
    '  ADMIN=$(npx tenure token --user root --system all --role admin)',
    "  LATEST='X-OpenStack-Ironic-API-Version: latest'",
    `  curl -s -H "X-Auth-Token: $OWNER" -H "$LATEST" '${endpoint}/v1/nodes?fields=name,owner,lessee,power_state'`,
    `  curl -i -H "X-Auth-Token: $OWNER" -H 'Content-Type: application/json' -X PUT -d '{"target": "power on"}' ${endpoint}/v1/nodes/rack1-u01/states/power`,
    `  curl -i -H "X-Auth-Token: $OTHER" -H "$LATEST" ${endpoint}/v1/nodes/rack1-u01`,
    `  curl -s -H "X-Auth-Token: $ADMIN" -H "$LATEST" ${endpoint}/v1/nodes/rack1-u01/states`,
    'or with python-openstackclient and python-ironicclient:',
    `  OS_AUTH_TYPE=admin_token OS_TOKEN=$OWNER OS_ENDPOINT=${endpoint} openstack baremetal node list`,
    `Audit console: http://127.0.0.1:${String(adminPortOf(plans, 'pdp'))}/console (log in with: npx tenure token --user U --system all --role reader)`,
    '',
    'Ctrl-C stops everything.',
    '',
  ];
}

async function seed(env: Environment, dataDir: string, inventoryPort: number): Promise<string> {
  const isEmbedded = (env['MONGODB_URI'] ?? env['MONGODB_URI_FILE']) === undefined;
  const wanted = env['TENURE_SEED'] ?? (isEmbedded ? 'demo' : 'none');
  if (wanted === 'none') return 'not seeded';
  if (wanted !== 'demo') throw new Error(`TENURE_SEED must be demo or none, not ${wanted}`);
  return seedDemoFleet({
    inventoryUrl: `http://127.0.0.1:${String(inventoryPort)}`,
    dataDir,
  });
}

const portOf = (plans: readonly PartPlan[], name: RunnablePart): number =>
  plans.find((plan) => plan.name === name)?.port ?? 0;

const adminPortOf = (plans: readonly PartPlan[], name: RunnablePart): number =>
  plans.find((plan) => plan.name === name)?.adminPort ?? 0;
