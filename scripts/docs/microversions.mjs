import { ROUTES } from '../../gateway/dist/routes/route-table.js';
// Writes docs/microversions.md: what came with which microversion, from the catalogues, the gateway's routes and the changes
// of behaviour. Usage: node scripts/docs/microversions.mjs [--check]
import * as contracts from '../../shared/contracts/dist/index.js';
import { writePage } from './write-page.mjs';

const {
  CHANGE,
  DRIVER_MEMBER_SINCE,
  DRIVER_PARAMETER_SINCE,
  HEARTBEAT_MEMBER_SINCE,
  MAX_MICROVERSION,
  PROVISION_PARAMETER_SINCE,
  PROVISION_TARGET,
} = contracts;

const code = (text) => `\`${text}\``;
const list = (names) => names.map(code).join(', ');

/** Groups `[minor, word]` pairs of one kind of change into one sentence for each microversion. */
const sentences = (pairs, say) =>
  [...Map.groupBy(pairs, ([minor]) => minor)].map(([minor, group]) => [
    minor,
    say(list(group.map(([, word]) => word)), group.length),
  ]);

const ofCatalogue = (catalogue) => {
  const { what, since, fields, linkMembers, filters, viewSince } = catalogue;
  const members = [...fields.map((field) => [field.since, field.name]), ...invert(linkMembers)];
  const parameters = [
    ...Object.values(filters).map((filter) => [filter.since, filter.name]),
    ...invert(viewSince),
  ];
  const younger = members.filter(([minor]) => minor > since);
  return [
    ...(since > 1 ? [[since, `Kind of record: ${what}.`]] : []),
    ...sentences(younger, (names, count) => `Field${count > 1 ? 's' : ''} of a ${what}: ${names}.`),
    ...sentences(
      parameters.filter(([minor]) => minor > since),
      (names) => `Parameters of ${what} lists: ${names}.`,
    ),
  ];
};

const invert = (since) => Object.entries(since).map(([name, minor]) => [minor, name]);

const CATALOGUES = Object.entries(contracts)
  .filter(([name]) => name.endsWith('_CATALOGUE'))
  .map(([, catalogue]) => catalogue);

const rows = [
  ...CATALOGUES.flatMap(ofCatalogue),
  ...ROUTES.filter(({ api, since }) => api === 'baremetal' && since !== undefined).map(
    ({ method, path, since }) => [since.minor, `Route: ${code(`${method} ${path}`)}.`],
  ),
  ...Object.values(CHANGE).map(({ minor, about }) => [minor, about]),
  ...sentences(
    Object.entries(PROVISION_TARGET).map(([name, { since }]) => [since, name]),
    (names) => `Provision targets: ${names}.`,
  ),
  ...sentences(
    invert(PROVISION_PARAMETER_SINCE),
    (names) => `Parameters of provision targets: ${names}.`,
  ),
  ...sentences(invert(HEARTBEAT_MEMBER_SINCE), (names) => `Members of a heartbeat: ${names}.`),
  ...sentences(invert(DRIVER_MEMBER_SINCE), (names) => `Members of a driver: ${names}.`),
  ...sentences(
    invert(DRIVER_PARAMETER_SINCE),
    (names) => `Parameters of the list of drivers: ${names}.`,
  ),
].filter(([minor]) => minor > 1);

const byMinor = [...Map.groupBy(rows, ([minor]) => minor)].toSorted(
  ([one], [other]) => one - other,
);

const WIDTH = 118;
/** A list item whose lines end in time. */
const bullet = (text) => {
  const lines = [''];
  for (const word of text.split(' '))
    if (`${lines.at(-1)} ${word}`.length > WIDTH) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  return `- ${lines.join('\n  ')}`;
};

const section = ([minor, changes]) =>
  `### 1.${minor}${minor > MAX_MICROVERSION.minor ? ' (not served yet)' : ''}\n\n${changes
    .map(([, text]) => bullet(text))
    .join('\n')}`;

const PAGE = `# Microversions of the bare-metal API

The additions of each microversion. 1.1 is what is always there; 1.${MAX_MICROVERSION.minor} is the newest one that is served.
This page is made by \`node scripts/docs/microversions.mjs\`, and \`make check\` compares. Its sources:

- fields and list parameters: the catalogues in \`shared/contracts/src/node-fields.ts\` and \`resource-fields/\`
- routes: \`gateway/src/routes/tables/\`
- everything else: \`shared/contracts/src/microversion-changes.ts\`

${byMinor.map(section).join('\n\n')}
`;
await writePage('docs/microversions.md', PAGE, 'node scripts/docs/microversions.mjs');
