import { type JsonObject } from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type Persona, PERSONAS } from '../matrix/personas.js';

/** Who asks, as the flags of a command say it. */
export interface SubjectOptions {
  readonly as?: string;
  readonly user?: string;
  readonly project?: string;
  readonly system?: true;
  readonly domain?: string;
  readonly role: readonly string[];
}

/** Who asks: a persona of the matrix, or a token. */
export interface Asker {
  readonly persona: Persona | undefined;
  readonly subject: JsonObject | null;
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];

/** Adds the flags that say who asks. */
export const addSubjectOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--as <persona>',
        'a caller of the matrix, by name or code, as own_member or om',
      ).conflicts(['user', 'project', 'system', 'domain']),
    )
    .option('--user <id>', 'user id of the token')
    .addOption(new Option('--project <id>', 'project of the token').conflicts(['system', 'domain']))
    .addOption(new Option('--system', 'a token of the system').conflicts('domain'))
    .option('--domain <id>', 'domain of the token')
    .option('--role <role...>', 'role of the token; repeat for several', collect, []);

/** `both_member: owner and lessee at once` is known as `both_member`. */
const nameOf = ({ name }: Persona): string => name.split(/[:,]/u)[0] ?? name;

/** @throws Error naming those that there are */
const personaCalled = (text: string): Persona => {
  const found = PERSONAS.find((each) => each.code === text || nameOf(each) === text);
  if (found !== undefined) return found;
  const names = PERSONAS.map((each) => `${nameOf(each)} (${each.code})`).join(', ');
  throw new Error(`no persona ${text}; there are ${names}`);
};

const DEFAULT_USER = 'user';

const tokenOf = ({ user, project, system, domain, role }: SubjectOptions): JsonObject => ({
  user_id: user ?? DEFAULT_USER,
  project_id: project ?? null,
  system_scope: system === true ? 'all' : null,
  domain_id: domain ?? null,
  roles: role,
});

/**
 * Who asks. Roles beside `--as` take the place of the persona's.
 * @throws Error for a persona that there is not
 */
export const askerOf = (options: SubjectOptions): Asker => {
  if (options.as === undefined) return { persona: undefined, subject: tokenOf(options) };
  const persona = personaCalled(options.as);
  const { subject } = persona;
  if (subject === null) return { persona, subject };
  const roles = options.role.length > 0 ? options.role : subject['roles'];
  return { persona, subject: { user_id: DEFAULT_USER, ...subject, roles } };
};

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * The subject as it stands to a thing: a persona of the owner's project is of the project that owns this very thing.
 * @param tenancy owner and lessee of the thing
 */
export const subjectTowards = (
  { persona, subject }: Asker,
  tenancy: JsonObject,
): JsonObject | null => {
  if (persona === undefined || subject === null) return subject;
  const place = (['owner', 'lessee'] as const).find(
    (each) => isId(persona.tenancy[each]) && persona.tenancy[each] === subject['project_id'],
  );
  const project = place === undefined ? undefined : tenancy[place];
  return isId(project) ? { ...subject, project_id: project } : subject;
};
