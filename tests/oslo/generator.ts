/** Random numbers that come again for the same seed: at least 0, below 1. */
export type Random = () => number;

const KEYS = [
  'node.owner',
  'node.lessee',
  'allocation.owner',
  'runbook.owner',
  'config.service_project_name',
  'project_id',
  'user_id',
  'system_scope',
  'domain_id',
];
const ROLES = ['admin', 'Admin', 'member', 'READER', 'service', 'observer', 'p1', ''];
const PROJECTS = ['p1', 'p2', 'service', 'None', 'demo', 'P1', ''];
const LITERALS = [
  "'p1'",
  '"p1"',
  "'x-p1'",
  "'None'",
  'None',
  'True',
  'False',
  '7',
  '-7',
  "''",
  "'p2'",
];
const CALLER = [
  'user_id',
  'user',
  'project_id',
  'project',
  'tenant',
  'tenant_id',
  'project_name',
  'project_domain_id',
  'system_scope',
  'system',
  'domain_id',
  'token.user.id',
  'token.project.id',
  'token.project.name',
  'token.project.domain.id',
  'token.domain.id',
];
const FLAGS = [
  'is_admin_project:True',
  'is_admin_project:False',
  'is_public_api:True',
  'is_public_api:False',
  'is_admin:True',
  'system_scope:all',
  'system:all',
  'project_domain_id:default',
  'domain_id:None',
  'token.system.all:True',
  'token.is_admin_project:True',
  '@',
  '!',
];
const HELPERS = [
  'is_admin',
  'is_observer',
  'service_role',
  'is_node_owner',
  'is_node_lessee',
  'public_api',
];
const BLANKS = [' ', '  ', '\t', '\n', '\u00a0', ' \u2003'];

/** Checks that oslo.policy itself does not understand, or that have no meaning here. */
const ODD_CHECKS = [
  'http://example.test/%(node.owner)s',
  'https://example.test/',
  'color:blue',
  'Role:admin',
  'lonely',
  ':p1',
  "'a b':p1",
  "'p1':'p1'",
  '"quoted"',
  'rule:nowhere',
  'rule:baremetal:node:get',
  'rule:baremetal:node:update',
  'role:%(node.uuid)s',
  'project_id:50%',
  'project_id:%(node.owner)d',
  'user_domain_id:default',
  'and',
  'NOT',
  '(',
  ')',
];

/** Makes rules. `oddity` is the share of checks that are wrong on purpose, from 0 to 1. */
export class Generator {
  readonly #random: Random;
  readonly #oddity: number;

  constructor(random: Random, oddity: number) {
    this.#random = random;
    this.#oddity = oddity;
  }

  /** At least 0, below 1. */
  number(): number {
    return this.#random();
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  #right(constants: readonly string[]): string {
    const key = `%(${this.pick(KEYS)})s`;
    if (this.chance(0.5)) return key;
    if (this.chance(0.2)) return `x-${key}`;
    if (this.chance(0.1)) return `${key}%%${key}`;
    return this.pick(constants);
  }

  /** One check. `names` are rules that it may refer to. */
  check(names: readonly string[]): string {
    if (this.chance(this.#oddity)) return this.pick(ODD_CHECKS);
    const kind = this.#random();
    if (kind < 0.3) return `role:${this.chance(0.9) ? this.pick(ROLES) : this.#right(ROLES)}`;
    if (kind < 0.6) return `${this.pick(CALLER)}:${this.#right(PROJECTS)}`;
    if (kind < 0.7) return `${this.pick(LITERALS)}:${this.#right(PROJECTS)}`;
    if (kind < 0.85) return `rule:${this.pick([...names, ...HELPERS])}`;
    return this.pick(FLAGS);
  }

  #word(word: string): string {
    if (this.chance(0.7)) return word;
    return Array.from(word, (letter) => (this.chance(0.5) ? letter.toUpperCase() : letter)).join(
      '',
    );
  }

  #blank(): string {
    return this.chance(0.8) ? ' ' : this.pick(BLANKS);
  }

  #parenthesised(text: string): string {
    const [left, right] = [
      this.chance(0.2) ? this.#blank() : '',
      this.chance(0.2) ? this.#blank() : '',
    ];
    return `(${left}${text}${right})`;
  }

  /** An expression of the text form, at most `depth` parentheses deep. */
  expression(names: readonly string[], depth: number): string {
    const count = this.pick([1, 1, 2, 2, 3, 4, 5]);
    return Array.from({ length: count }, (_, at) => {
      const nested = depth > 0 && this.chance(0.3);
      const operand = nested
        ? this.#parenthesised(this.expression(names, depth - 1))
        : this.check(names);
      const negated = this.chance(0.2) ? `${this.#word('not')}${this.#blank()}${operand}` : operand;
      if (at === 0) return negated;
      return `${this.#blank()}${this.#word(this.pick(['and', 'or']))}${this.#blank()}${negated}`;
    }).join('');
  }

  /** A rule: text, or the old list of lists. */
  rule(names: readonly string[]): unknown {
    if (this.chance(0.05)) return '';
    if (this.chance(0.85)) return this.expression(names, 3);
    return Array.from({ length: this.pick([0, 1, 2, 3]) }, () =>
      this.chance(0.4)
        ? this.check(names)
        : Array.from({ length: this.pick([0, 1, 2, 3]) }, () => this.check(names)),
    );
  }
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
