/** A heading of the matrix, and its actions. */
interface Topic {
  readonly title: string;
  readonly actions: RegExp;
}

/** In the order of the page; an action belongs to the first topic that matches. */
const TOPICS: readonly Topic[] = [
  { title: 'The deploy agent', actions: /:ipa_/u },
  { title: 'Nodes: enrolling and removing', actions: /^baremetal:node:(?:create|delete)(?::|$)/u },
  { title: 'Nodes: reading', actions: /^baremetal:node:(?:get|list|list_all)(?::|$)/u },
  { title: 'Nodes: writing fields', actions: /^baremetal:node:(?:update|disable_cleaning)/u },
  { title: 'Nodes: acting on them, and their parts', actions: /^baremetal:node:/u },
  { title: 'Ports and port groups', actions: /^baremetal:port(?:group)?:/u },
  { title: 'Volume connectors and targets', actions: /^baremetal:volume:/u },
  { title: 'Allocations', actions: /^baremetal:allocation:/u },
  { title: 'Leases', actions: /^baremetal:lease:/u },
  { title: 'Handovers', actions: /^baremetal:handover:/u },
  { title: 'Runbooks', actions: /^baremetal:runbook:/u },
  { title: 'Chassis', actions: /^baremetal:chassis:/u },
  { title: 'Drivers and conductors', actions: /^baremetal:(?:driver|conductor):/u },
  { title: 'Deploy templates', actions: /^baremetal:deploy_template:/u },
  { title: 'Introspection', actions: /^(?:introspection|baremetal:inspection_rule):/u },
  { title: 'Audit', actions: /^tenure:audit:/u },
  { title: 'Servers', actions: /^os_compute_api:/u },
  { title: 'Others', actions: /^/u },
];

/** Topics that have actions, each with its own in alphabetical order. */
export function byTopic(
  actions: readonly string[],
): readonly { readonly title: string; readonly actions: readonly string[] }[] {
  const topicOf = (action: string): string | undefined =>
    TOPICS.find((topic) => topic.actions.test(action))?.title;
  return TOPICS.map(({ title }) => ({
    title,
    actions: actions.filter((action) => topicOf(action) === title).sort(),
  })).filter((topic) => topic.actions.length > 0);
}
