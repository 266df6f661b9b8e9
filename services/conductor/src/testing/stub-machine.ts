import { StubLog } from './stub-log.js';
import { StubRaid } from './stub-raid.js';

type Json = Readonly<Record<string, unknown>>;

/** The response of a resource; `undefined` when there is nothing at the path. */
interface StubAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

interface StubDrive {
  readonly types: readonly string[];
  image: string | null;
  /** Body of the last insertion. */
  inserted: Json | undefined;
}

const SYSTEM = '/redfish/v1/Systems/1';
const BIOS = `${SYSTEM}/Bios`;
const BIOS_RESET = `${BIOS}/Actions/Bios.ResetBios`;
const SECURE_BOOT = `${SYSTEM}/SecureBoot`;
const CHASSIS = '/redfish/v1/Chassis/1';
const MANAGER = '/redfish/v1/Managers/1';
const MEDIA = `${MANAGER}/VirtualMedia`;
const EVENTS = '/redfish/v1/EventService';
const SUBSCRIPTIONS = `${EVENTS}/Subscriptions`;

const link = (path: string): Json => ({ '@odata.id': path });
const collection = (paths: readonly string[]): Json => ({
  Members: paths.map(link),
  'Members@odata.count': paths.length,
});

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const AS_IT_CAME: Json = { BootMode: 'Bios', NumLock: true, AdminPassword: 'x' };

/** The resources of a stub BMC beside power and boot device. Tests read and change its members. */
export class StubMachine {
  /** Says 204 to every change and does nothing. */
  deaf = false;
  /** Refuses an insertion that does not say how the image is transferred. */
  wantsTransfer = false;
  /** Undefined: a system without `BootSourceOverrideMode`. */
  bootMode: 'UEFI' | 'Legacy' | undefined = 'Legacy';
  secureBoot: boolean | undefined = false;
  /** `SerialConsole` of the system; undefined: it has none. */
  serialConsole: Json | undefined;
  led = 'Off';
  chassisLed = 'Off';
  /** BIOS settings wait for the next start; `refused` by then: it does not take them. */
  settingsWait: 'no' | 'yes' | 'refused' = 'no';
  /** ETag of the BIOS settings, and how many reads it changes after. */
  settingsEtag: number | undefined;
  settingsEtagMoves = 0;
  /** Has no action that resets the BIOS. */
  noBiosReset = false;
  waiting: Record<string, unknown> = {};
  attributes: Record<string, unknown> = { ...AS_IT_CAME };
  readonly drives: Record<string, StubDrive> = {
    Cd: { types: ['CD', 'DVD'], image: null, inserted: undefined },
    Floppy: { types: ['Floppy', 'USBStick'], image: null, inserted: undefined },
  };
  /** Members of the system's collections, by path: what an inspection reads. */
  readonly parts: Record<string, Json> = {};
  /** Links of the system to such collections: `{ Storage: path }`. */
  readonly partLinks: Record<string, string> = {};
  raid: StubRaid | undefined;
  /** Logs of the system and of the manager, by path. */
  readonly logs: StubLog[] = [];
  /** Members of the manager beside those that it always has. */
  readonly managerParts: Record<string, unknown> = {};
  readonly subscriptions = new Map<string, Json>();
  #subscribed = 0;

  /** Members of the service root. */
  readonly root: Record<string, unknown> = { EventService: link(EVENTS) };

  /** Members of the system. */
  system(): Json {
    return {
      IndicatorLED: this.led,
      ...(this.serialConsole !== undefined && { SerialConsole: this.serialConsole }),
      BiosVersion: 'B-1.2',
      Manufacturer: 'Stub',
      SerialNumber: 'S-1',
      ProcessorSummary: { Count: 2, ProcessorArchitecture: 'x86' },
      MemorySummary: { TotalSystemMemoryGiB: 96 },
      Bios: link(BIOS),
      ...Object.fromEntries(
        Object.entries(this.partLinks).map(([name, path]) => [name, link(path)]),
      ),
      ...(this.secureBoot !== undefined && { SecureBoot: link(SECURE_BOOT) }),
      Links: { ManagedBy: [link(MANAGER)], Chassis: [link(CHASSIS)] },
    };
  }

  /** Puts a RAID controller into the machine. */
  addRaid(): StubRaid {
    this.raid = new StubRaid();
    this.partLinks['Storage'] = `${SYSTEM}/Storage`;
    return this.raid;
  }

  /** Adds resources below the system, and the collection of them. */
  addParts(name: string, parts: Readonly<Record<string, Json>>): void {
    const path = `${SYSTEM}/${name}`;
    this.partLinks[name] = path;
    this.parts[path] = collection(Object.keys(parts).map((id) => `${path}/${id}`));
    for (const [id, part] of Object.entries(parts))
      this.parts[`${path}/${id}`] = { Id: id, ...part };
  }

  /** Gives the system or its manager logs of these names. */
  addLogs(owner: 'system' | 'manager', ...names: readonly string[]): readonly StubLog[] {
    const path = `${owner === 'system' ? SYSTEM : MANAGER}/LogServices`;
    if (owner === 'system') this.partLinks['LogServices'] = path;
    else this.managerParts['LogServices'] = link(path);
    const added = names.map((name) => new StubLog(path, name));
    this.parts[path] = collection(names.map((name) => `${path}/${name}`));
    this.logs.push(...added);
    return added;
  }

  /** Adds a collection anywhere, in pages of this many members. */
  addCollection(path: string, members: readonly Json[], perPage = members.length): void {
    const paths = members.map(({ Id }) => `${path}/${String(Id)}`);
    members.forEach((member, index) => {
      const at = paths[index];
      if (at !== undefined) this.parts[at] = { ...link(at), ...member };
    });
    for (let from = 0; from === 0 || from < paths.length; from += perPage) {
      const next = from + perPage;
      this.parts[from === 0 ? path : `${path}?$skip=${String(from)}`] = {
        ...collection(paths.slice(from, next)),
        ...(next < paths.length && {
          'Members@odata.nextLink': `${path}?$skip=${String(next)}`,
        }),
      };
    }
  }

  patchSystem(body: Json): void {
    if (this.deaf) return;
    if (body['SerialConsole'] !== undefined)
      this.serialConsole = merged(this.serialConsole, body['SerialConsole']);
    if (typeof body['IndicatorLED'] === 'string') this.led = body['IndicatorLED'];
    const mode = (body['Boot'] as Json | undefined)?.['BootSourceOverrideMode'];
    if (mode === 'UEFI' || mode === 'Legacy') this.bootMode = mode;
  }

  /** Applies the effects of a start of the machine. */
  started(): void {
    if (this.settingsWait !== 'refused') this.attributes = { ...this.attributes, ...this.waiting };
    this.waiting = {};
    this.raid?.started();
  }

  answer(method: string, path: string, body: Json, ifMatch?: string): StubAnswer | undefined {
    for (const log of this.logs) {
      const answered = log.answer(method, path, ifMatch);
      if (answered !== undefined) return answered;
    }
    return this.raid?.answer(method, path, body) ?? this.#answer(method, path, body, ifMatch);
  }

  #answer(method: string, path: string, body: Json, ifMatch?: string): StubAnswer | undefined {
    if (method === 'GET') return this.#show(path);
    if (method === 'PATCH' && path === `${BIOS}/Settings` && ifMatch !== this.#settingsEtag())
      return { status: 412 };
    if (method === 'POST' && path === SUBSCRIPTIONS) return this.#subscribe(body);
    if (method === 'POST' && this.#refusesInsertion(path, body)) return { status: 400 };
    return this.#change(method, path, body) ? { status: 204 } : undefined;
  }

  #show(path: string): StubAnswer | undefined {
    const found = this.#resources()[path];
    return found === undefined ? undefined : { status: 200, body: found, ...this.#etag(path) };
  }

  #settingsEtag(): string | undefined {
    return this.settingsEtag === undefined ? undefined : `"${String(this.settingsEtag)}"`;
  }

  #etag(path: string): Pick<StubAnswer, 'headers'> {
    const etag = this.#settingsEtag();
    if (path !== `${BIOS}/Settings` || etag === undefined) return {};
    if (this.settingsEtagMoves > 0) {
      this.settingsEtagMoves -= 1;
      this.settingsEtag = (this.settingsEtag ?? 0) + 1;
    }
    return { headers: { etag } };
  }

  #resources(): Readonly<Record<string, Json>> {
    const drives = Object.entries(this.drives).map(([name, drive]) => [
      `${MEDIA}/${name}`,
      this.#driveView(name, drive),
    ]);
    const subscriptions = [...this.subscriptions].map(([id, one]) => [
      `${SUBSCRIPTIONS}/${id}`,
      one,
    ]);
    return {
      ...this.parts,
      ...(Object.fromEntries([...drives, ...subscriptions]) as Record<string, Json>),
      [BIOS]: {
        Attributes: this.attributes,
        '@Redfish.Settings': {
          SettingsObject: link(`${BIOS}/Settings`),
          SupportedApplyTimes: ['OnReset'],
        },
        ...(!this.noBiosReset && { Actions: { '#Bios.ResetBios': { target: BIOS_RESET } } }),
      },
      [`${BIOS}/Settings`]: { Attributes: { ...this.attributes, ...this.waiting } },
      [SECURE_BOOT]: { SecureBootEnable: this.secureBoot },
      [CHASSIS]: { IndicatorLED: this.chassisLed },
      [MANAGER]: {
        FirmwareVersion: 'M-3.4',
        VirtualMedia: link(MEDIA),
        ...this.managerParts,
      },
      [MEDIA]: collection(Object.keys(this.drives).map((name) => `${MEDIA}/${name}`)),
      [EVENTS]: {
        EventTypesForSubscription: ['Alert', 'StatusChange'],
        Subscriptions: link(SUBSCRIPTIONS),
      },
      [SUBSCRIPTIONS]: collection(
        [...this.subscriptions.keys()].map((id) => `${SUBSCRIPTIONS}/${id}`),
      ),
    };
  }

  #driveView(name: string, { types, image }: StubDrive): Json {
    const action = (verb: string): Json => ({
      target: `${MEDIA}/${name}/Actions/VirtualMedia.${verb}`,
    });
    return {
      MediaTypes: types,
      Inserted: image !== null,
      Image: image,
      Actions: {
        '#VirtualMedia.InsertMedia': action('InsertMedia'),
        '#VirtualMedia.EjectMedia': action('EjectMedia'),
      },
    };
  }

  #subscribe(body: Json): StubAnswer {
    this.#subscribed += 1;
    const id = String(this.#subscribed);
    const location = `${SUBSCRIPTIONS}/${id}`;
    if (!this.deaf) this.subscriptions.set(id, { ...body, Id: id });
    return { status: 201, headers: { location } };
  }

  #refusesInsertion(path: string, body: Json): boolean {
    return this.wantsTransfer && path.endsWith('InsertMedia') && !('TransferProtocolType' in body);
  }

  #change(method: string, path: string, body: Json): boolean {
    const [, name = '', verb] =
      /^\/redfish\/v1\/Managers\/1\/VirtualMedia\/(\w+)\/Actions\/VirtualMedia\.(\w+)$/u.exec(
        path,
      ) ?? [];
    const drive = this.drives[name];
    const changes: Readonly<Record<string, () => void>> = {
      [`PATCH ${BIOS}/Settings`]: () => {
        this.waiting = { ...this.waiting, ...(body['Attributes'] as Json) };
        if (this.settingsWait === 'no') this.started();
      },
      [`POST ${BIOS_RESET}`]: () => {
        this.waiting = { ...AS_IT_CAME };
      },
      [`PATCH ${SECURE_BOOT}`]: () => {
        this.secureBoot = body['SecureBootEnable'] === true;
      },
      [`PATCH ${MANAGER}`]: () => {
        Object.assign(this.managerParts, merged(this.managerParts, body));
      },
      [`PATCH ${CHASSIS}`]: () => {
        this.chassisLed = String(body['IndicatorLED']);
      },
    };
    const change =
      drive === undefined
        ? (changes[`${method} ${path}`] ?? this.#unsubscribing(method, path))
        : () => {
            drive.image = verb === 'InsertMedia' ? String(body['Image']) : null;
            drive.inserted = verb === 'InsertMedia' ? body : undefined;
          };
    if (change !== undefined && !this.deaf) change();
    return change !== undefined;
  }

  #unsubscribing(method: string, path: string): (() => void) | undefined {
    const id = path.slice(SUBSCRIPTIONS.length + 1);
    if (method !== 'DELETE' || !path.startsWith(SUBSCRIPTIONS) || !this.subscriptions.has(id))
      return undefined;
    return () => this.subscriptions.delete(id);
  }
}

/** A resource after a PATCH. */
function merged(resource: unknown, patch: unknown): Json {
  const base = isObject(resource) ? resource : {};
  const changes = Object.entries(isObject(patch) ? patch : {}).map(([key, value]) => [
    key,
    isObject(value) ? merged(base[key], value) : value,
  ]);
  return { ...base, ...(Object.fromEntries(changes) as Json) };
}
