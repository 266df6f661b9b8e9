import { type PolicyAnswer } from '@tenure/policy';
import { lossOf } from './losses.js';
import {
  createsOrDeletesFleet,
  createsOrDeletesNodes,
  hasOnlyOldRoles,
  hasNoScopeOrRole,
  isAboutNode,
  isAboutOwned,
  isOfProject,
  isPlainProject,
  isPublicAction,
  isRead,
  isThirdParty,
  kindOf,
  reaches,
  writersFor,
} from './predicates.js';
import { type QueryTables } from './probes.js';
import { type Answered, type Query } from './query.js';
import { maskedInRow } from './rows.js';
import { OTHER_OWNER } from './targets.js';
import { READING_ROLES } from './vocabulary.js';

/** The reason why an answer breaks a rule; undefined when it does not. */
type Because = string | undefined;

interface Named {
  readonly name: string;
  readonly sentence: string;
}

/** A rule about every answer by itself. */
export interface AnswerInvariant extends Named {
  readonly breaks: (query: Query, answer: PolicyAnswer, tables: QueryTables) => Because;
}

/** A rule about two answers that belong together. */
export interface PairInvariant extends Named {
  readonly breaks: (first: Answered, second: Answered, tables: QueryTables) => Because;
}

const granted = ({ grants }: PolicyAnswer): string =>
  grants.length === 0 ? 'by nothing that the answer names' : `by ${grants.join(', ')}`;

const saysAllowed = (answer: PolicyAnswer): Because =>
  answer.allow ? `it is allowed, ${granted(answer)}` : undefined;

const saysReached = (answer: PolicyAnswer): Because => saysAllowed(answer) ?? 'it is visible';

export const thirdPartiesReachNoNode: AnswerInvariant = {
  name: 'third-parties-reach-no-node',
  sentence:
    'A project that neither owns nor leases a node does not see it nor anything on it, and does nothing with it; ' +
    'the elevated service aside, and, with enforce_new_defaults off, the roles of the old rules.',
  breaks: (query, answer, tables) =>
    isPlainProject(query) &&
    isAboutNode(query, tables) &&
    isThirdParty(query) &&
    !isPublicAction(query.action) &&
    reaches(query, answer, tables)
      ? saysReached(answer)
      : undefined,
};

export const thirdPartiesReachNothingOwned: AnswerInvariant = {
  name: 'third-parties-reach-nothing-owned',
  sentence:
    'A project does not reach allocations and runbooks of others, public runbooks aside; ' +
    'the elevated service aside, and, with enforce_new_defaults off, the roles of the old rules.',
  breaks: (query, answer, tables) =>
    isPlainProject(query) &&
    isAboutOwned(query, tables) &&
    !isAboutNode(query, tables) &&
    isThirdParty(query) &&
    !(query.target.public === true && (isRead(query.action, tables) || !answer.allow)) &&
    reaches(query, answer, tables)
      ? saysReached(answer)
      : undefined,
};

const OWN_COLUMNS: readonly string[] = ['owner', 'lessee', 'project_id'];

export const listsStayInTheProject: AnswerInvariant = {
  name: 'lists-stay-in-the-project',
  sentence:
    'No project is given rows, or resources to link to, beyond its own and the public ones; ' +
    'the elevated service aside, and, with enforce_new_defaults off, the roles of the old rules.',
  breaks: (query, { allow, filter }) => {
    if (!allow || !isPlainProject(query)) return undefined;
    if (filter.mode === 'all') return 'the filter lets every row through';
    const foreign = filter.predicates.find(
      ({ field, value }) => OWN_COLUMNS.includes(field) && value !== query.scope.project,
    );
    return foreign && `the filter lets rows with ${foreign.field} ${foreign.value} through`;
  },
};

export const projectsEnrolNoNodes: AnswerInvariant = {
  name: 'projects-enrol-no-nodes',
  sentence:
    'With enforce_new_defaults on and project_admin_can_manage_own_nodes off, ' +
    'no token of a project creates or deletes nodes.',
  breaks: (query, answer) =>
    isOfProject(query) &&
    query.setting.enforce_new_defaults &&
    !query.setting.project_admin_can_manage_own_nodes &&
    createsOrDeletesNodes(query.action)
      ? saysAllowed(answer)
      : undefined,
};

export const projectsCreateForThemselves: AnswerInvariant = {
  name: 'projects-create-for-themselves',
  sentence:
    'What a project creates belongs to it, whatever owner it asks for; ' +
    'the elevated service aside, and, with enforce_new_defaults off, the roles of the old rules.',
  breaks: (query, answer) =>
    isPlainProject(query) &&
    query.field?.value === OTHER_OWNER &&
    answer.set.owner !== query.scope.project
      ? saysAllowed(answer)
      : undefined,
};

export const readersChangeNothing: AnswerInvariant = {
  name: 'readers-change-nothing',
  sentence:
    'A caller with only the role reader or baremetal_observer is allowed only reads, whatever the switches.',
  breaks: ({ roles, action }, answer, tables) =>
    roles.every((role) => READING_ROLES.includes(role)) &&
    !isRead(action, tables) &&
    !isPublicAction(action)
      ? saysAllowed(answer)
      : undefined,
};

export const servicesBuildNoFleet: AnswerInvariant = {
  name: 'services-build-no-fleet',
  sentence:
    'A caller with only the role service never creates or deletes nodes, ports, port groups, chassis or deploy templates, ' +
    'whatever the switches.',
  breaks: ({ roles, action }, answer) =>
    roles.length === 1 && roles[0] === 'service' && createsOrDeletesFleet(action)
      ? saysAllowed(answer)
      : undefined,
};

export const unrelatedTokensGetNothing: AnswerInvariant = {
  name: 'no-relation-no-access',
  sentence:
    'Tokens that are unscoped, of a domain, of a blank project, of two scopes or without a role get nothing ' +
    'but what the deploy agent is given, whatever the switches.',
  breaks: (query, answer, tables) =>
    hasNoScopeOrRole(query) &&
    !isPublicAction(query.action) &&
    (answer.allow || (isAboutOwned(query, tables) && reaches(query, answer, tables)))
      ? saysReached(answer)
      : undefined,
};

export const oldRolesCountForNothing: AnswerInvariant = {
  name: 'old-roles-count-for-nothing',
  sentence:
    'With enforce_new_defaults on, a caller with only the roles baremetal_admin or baremetal_observer gets nothing ' +
    'but what the deploy agent is given.',
  breaks: (query, answer, tables) =>
    query.setting.enforce_new_defaults &&
    hasOnlyOldRoles(query) &&
    !isPublicAction(query.action) &&
    (answer.allow || (isAboutOwned(query, tables) && reaches(query, answer, tables)))
      ? saysReached(answer)
      : undefined,
};

export const maskedIsNotWritable: AnswerInvariant = {
  name: 'masked-is-not-writable',
  sentence:
    'Where a table says who writes a field, a field that is masked for a caller is also read-only for it, ' +
    'and a change of it is refused.',
  breaks: ({ action, field }, { allow, visible, fields }, tables) => {
    if (!visible || kindOf(action, tables) === 'list') return undefined;
    const writers = writersFor(action, tables);
    if (writers === undefined) return undefined;
    const open = fields.masked.find(
      (name) => Object.hasOwn(writers, name) && !fields.read_only.includes(name),
    );
    if (open !== undefined) return `${open} is masked, but not read-only`;
    // A resource that is created has no hidden value that could be overwritten.
    if (kindOf(action, tables) === 'create') return undefined;
    return allow && field !== undefined && fields.masked.includes(field.name)
      ? `${field.name} is masked, but a write to it is allowed`
      : undefined;
  },
};

export const allowedIsVisible: AnswerInvariant = {
  name: 'allowed-is-visible',
  sentence: 'What is allowed is also visible: no one acts on a resource that they cannot see.',
  breaks: (_query, { allow, visible }) =>
    allow && !visible ? 'it is allowed, but not visible' : undefined,
};

const loses: PairInvariant['breaks'] = (weaker, stronger, tables) =>
  lossOf(weaker.answer, stronger.answer, kindOf(weaker.query.action, tables) === 'list');

export const strongerCoversWeaker: PairInvariant = {
  name: 'stronger-covers-weaker',
  sentence:
    'In the same scope and relation and under the same switches, admin is given all that manager is, manager all that ' +
    'member is, and member all that reader is.',
  breaks: loses,
};

export const moreRolesNeverLess: PairInvariant = {
  name: 'more-roles-never-less',
  sentence: 'A role beside others never takes anything away.',
  breaks: loses,
};

export const nobodyOwnsForNobody: PairInvariant = {
  name: 'null-ids-match-nobody',
  sentence:
    'What has null or empty texts for owner and lessee is to every caller as what belongs to others: ' +
    'an id that is missing never matches.',
  breaks: ({ answer: foreign }, { answer: unowned }) => {
    if (unowned.allow && !foreign.allow) return saysAllowed(unowned);
    return unowned.visible && !foreign.visible ? 'it is visible' : undefined;
  },
};

export const listsShowOnlyWhatGetShows: PairInvariant = {
  name: 'lists-show-only-what-get-shows',
  sentence:
    'A list has no row that the caller could not get, and shows no field of it that getting it would mask.',
  breaks: ({ answer: list, query }, { answer: row, query: { target } }) => {
    if (!row.allow) return `a row is listed (${target.relation}) that its own get refuses`;
    const masked = maskedInRow(list, target, query.scope);
    const unmasked = row.fields.masked.find((name) => !masked.includes(name));
    return unmasked && `${unmasked} is listed, but masked when the row is got`;
  },
};
