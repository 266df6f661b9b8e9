import { type JsonObject, type Persona, personaCalled } from '@tenure/policy';
import { type Command, Option } from 'commander';

/** The caller, as the flags of a command describe it. */
export interface SubjectOptions {
  readonly as?: string;
  readonly user?: string;
  readonly project?: string;
  readonly projectName?: string;
  readonly projectDomain?: string;
  readonly system?: true;
  readonly domain?: string;
  readonly role: readonly string[];
}

/** The caller: a persona of the matrix, or a token. */
export interface Caller {
  readonly persona: Persona | undefined;
  readonly subject: JsonObject | null;
}

const DEFAULT_USER = 'user';

/** Adds the flags that describe the caller. */
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
    .option('--project-name <name>', 'name of that project, in the domain default')
    .option('--project-domain <id>', 'id of the domain of that project')
    .addOption(new Option('--system', 'a token of the system').conflicts('domain'))
    .option('--domain <id>', 'domain of the token')
    .option('--role <role...>', 'role of the token; repeat for several', collect, []);

/**
 * The caller of the flags. Roles beside `--as` replace those of the persona.
 * @throws Error for an unknown persona
 */
export function callerOf(options: SubjectOptions): Caller {
  if (options.as === undefined) return { persona: undefined, subject: tokenOf(options) };
  const persona = personaCalled(options.as);
  const { subject } = persona;
  if (subject === null) return { persona, subject };
  const roles = options.role.length > 0 ? options.role : subject['roles'];
  return { persona, subject: { user_id: DEFAULT_USER, ...subject, roles } };
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];

const tokenOf = ({
  user,
  project,
  system,
  domain,
  role,
  ...names
}: SubjectOptions): JsonObject => ({
  user_id: user ?? DEFAULT_USER,
  project_id: project ?? null,
  system_scope: system === true ? 'all' : null,
  domain_id: domain ?? null,
  roles: role,
  ...nameOf({ ...names, role }),
});

const nameOf = ({ projectName, projectDomain }: SubjectOptions): JsonObject => ({
  ...(projectName !== undefined && { project_name: projectName, project_domain_id: 'default' }),
  ...(projectDomain !== undefined && { project_domain_id: projectDomain }),
});
