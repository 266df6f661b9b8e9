/** Seeded pseudo-random numbers (mulberry32), so that a failing run can be repeated. */
export function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    chance: (part) => next() < part,
    pick: (list) => list[Math.floor(next() * list.length)],
    upTo: (most) => Math.floor(next() * (most + 1)),
  };
}

const IDS = ['p-a', 'p-b', 'p-c', 'service', 'baremetal', 'demo'];
const ODD_IDS = [
  null,
  undefined,
  '',
  'None',
  'null',
  'P-A',
  'p-a ',
  0,
  7,
  false,
  true,
  ['p-a'],
  { id: 'p-a' },
];
const ROLES = ['admin', 'manager', 'member', 'reader', 'service', 'ADMIN', 'Service'];
const ODD_ROLES = [
  'administrator',
  'baremetal_admin',
  'baremetal_observer',
  'observer',
  '',
  ' admin',
  'adm\u0130n',
  'ADM\u0131N',
  '\u212aeystone',
  'admin\u0000',
  'ＡＤＭＩＮ',
  '😀',
  5,
  null,
  true,
  ['admin'],
];
// values that are no question, or no part of one
const STRANGE = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  '',
  'x',
  '\uffff',
  '😀',
  [],
  [null],
  {},
  { a: null },
];
const POINTERS = [
  '/owner',
  '/lessee',
  '/driver_info/redfish_password',
  '/extra/a~1b',
  '/instance_info',
  '/description',
  '/maintenance',
  '/protected',
  '/shard',
  '/automated_clean',
  '/public',
  '/power_state',
  '/target',
  '/clean_steps',
  '/service_steps/0',
  '/properties/a',
  '/nonsense',
  '/é',
];
const ODD_POINTERS = [
  '',
  '/',
  'owner',
  '//owner',
  '/a~',
  '/~01',
  '/~2',
  '/owne~0r',
  5,
  null,
  ['/owner'],
];

/** Makes questions about the actions, resource types of the table: mostly sensible, sometimes hostile. */
export function questionMaker(random, { actions, types }) {
  const { chance, pick, upTo } = random;
  const several = (most, good, odd) =>
    Array.from({ length: upTo(most) }, () => (chance(0.08) ? pick(odd) : pick(good)));
  const id = () => (chance(0.2) ? pick(ODD_IDS) : pick(IDS));

  const subject = () => {
    if (chance(0.04)) return pick(STRANGE);
    const made = { user_id: 'u', roles: several(3, ROLES, ODD_ROLES) };
    if (chance(0.15)) made.roles = [pick(ODD_ROLES)];
    if (chance(0.03)) made.roles = pick(STRANGE);
    if (chance(0.3)) made.system_scope = chance(0.85) ? 'all' : pick(ODD_IDS);
    else made.project_id = id();
    if (chance(0.08)) made.domain_id = id();
    if (chance(0.05)) made.project_id = id();
    if (chance(0.2)) made.project_name = id();
    if (chance(0.2)) made.project_domain_id = chance(0.5) ? 'default' : pick(ODD_IDS);
    if (chance(0.2)) made.is_admin_project = chance(0.7) ? true : pick(STRANGE);
    return made;
  };

  const resource = (action) => {
    if (chance(0.04)) return pick(STRANGE);
    const noun = action.split(':')[1];
    const type = types.includes(noun) && chance(0.8) ? noun : pick(types);
    const made = { type, owner: id(), lessee: id(), tenancy_revision: upTo(9) };
    if (chance(0.03)) made.type = pick(STRANGE);
    if (chance(0.05)) made.public = chance(0.8) ? true : pick(STRANGE);
    return made;
  };

  const requested = () => {
    if (chance(0.04)) return pick(STRANGE);
    const made = {};
    if (chance(0.6)) made.owner = id();
    if (chance(0.3)) made.automated_clean = chance(0.8) ? chance(0.5) : pick(STRANGE);
    return made;
  };

  /** Drops a key or adds one that means nothing. */
  const disturbed = (question) => {
    const keys = Object.keys(question);
    if (chance(0.08)) delete question[pick(keys)];
    if (chance(0.05)) question[pick(['allow', 'extra', 'data', '__proto__x', ''])] = pick(STRANGE);
    return question;
  };

  return () => {
    if (chance(0.02)) return pick(STRANGE);
    const action = chance(0.3)
      ? pick(actions.filter((name) => /:(create|update|list|set_provision_state)/.test(name)))
      : pick(actions);
    const question = {
      action,
      subject: subject(),
      resource: resource(action),
      now: '2026-11-21T06:00:00Z',
    };
    if (chance(0.4))
      question.fields = chance(0.95) ? several(5, POINTERS, ODD_POINTERS) : pick(STRANGE);
    if (chance(0.4)) question.requested = requested();
    if (chance(0.03)) question.action = pick([...STRANGE, 'baremetal:no:such', `${action} `]);
    if (chance(0.15)) question.actions = chance(0.9) ? several(6, actions, STRANGE) : pick(STRANGE);
    return disturbed(question);
  };
}
