import { type Static, Type } from '@sinclair/typebox';
import { type NodeRecord, parse } from '@tenure/contracts';
import { type Fields } from '../members.js';
import { type OfferedStep, type StepKind } from './steps.js';

const MAX_STEPS = 255;
const Name = Type.String({ minLength: 1, maxLength: 255 });
const optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const AgentStep = Type.Object({
  interface: Type.Union(
    ['bios', 'deploy', 'firmware', 'management', 'network', 'power', 'raid', 'vendor'].map((name) =>
      Type.Literal(name),
    ),
  ),
  step: Name,
  priority: Type.Integer({ minimum: 0, maximum: 65_535 }),
  abortable: optional(Type.Boolean()),
  reboot_requested: optional(Type.Boolean()),
  argsinfo: optional(
    Type.Record(
      Name,
      Type.Object({
        description: Type.Optional(Type.String({ maxLength: 4096 })),
        required: optional(Type.Boolean()),
      }),
      { maxProperties: MAX_STEPS },
    ),
  ),
});
type AgentStep = Static<typeof AgentStep>;

const ByManager = Type.Record(Name, Type.Array(AgentStep, { maxItems: MAX_STEPS }), {
  maxProperties: 64,
});
const Answer = Type.Object({
  clean_steps: Type.Optional(ByManager),
  deploy_steps: Type.Optional(ByManager),
  service_steps: Type.Optional(ByManager),
  hardware_manager_version: Type.Optional(
    Type.Union([
      Type.Record(Name, Type.String({ maxLength: 255 }), { maxProperties: 64 }),
      Type.Null(),
    ]),
  ),
});

const VERSION_KEY = 'hardware_manager_version';

/**
 * The agent's response to `get_{kind}_steps`: its steps, and the members of `driver_internal_info` that store them.
 * @throws BadRequestError for an answer that has not the right shape
 */
export function agentStepsIn(
  answer: unknown,
  kind: StepKind,
  now: Date,
): { readonly steps: readonly OfferedStep[]; readonly internal: Fields } {
  const found = parse(Answer, answer, `${kind} steps of the agent`);
  const byManager = found[`${kind}_steps`] ?? {};
  return {
    steps: listed(byManager, kind),
    internal: {
      [cacheKey(kind)]: byManager,
      [VERSION_KEY]: found.hardware_manager_version ?? {},
      [`${cacheKey(kind)}_refreshed`]: now.toISOString(),
    },
  };
}

/** The parameters of the agent's command that runs a step of its own. */
export const agentStepParams = (node: NodeRecord, kind: StepKind): Fields => ({
  [`${kind}_version`]: node.driver_internal_info[VERSION_KEY] ?? {},
});

const listed = (steps: unknown, kind: StepKind): readonly OfferedStep[] =>
  Object.values(parse(ByManager, steps, `${kind} steps of the agent`)).flatMap((of) =>
    of.map(offered),
  );

const cacheKey = (kind: StepKind): string => `agent_cached_${kind}_steps`;

const offered = (step: AgentStep): OfferedStep => ({
  interface: step.interface,
  step: step.step,
  priority: step.priority,
  abortable: step.abortable ?? false,
  // Only the agent can validate the values.
  args: Object.fromEntries(
    Object.entries(step.argsinfo ?? {}).map(([name, { description, required }]) => [
      name,
      { description: description ?? '', required: required ?? false, schema: Type.Unknown() },
    ]),
  ),
  inBand: true,
  ...(step.reboot_requested === true && { rebootRequested: true }),
});
