type Json = Readonly<Record<string, unknown>>;

/** What a resource answers; `undefined` when there is nothing at the path. */
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

/** What a stub BMC has beside power and boot device. Tests read and change its members. */
export class StubMachine {
  /** Says 204 to every change and does nothing. */
  deaf = false;
  /** Refuses an insertion that does not say how the image is transferred. */
  wantsTransfer = false;
  /** Undefined: a system without `BootSourceOverrideMode`. */
  bootMode: 'UEFI' | 'Legacy' | undefined = 'Legacy';
  secureBoot: boolean | undefined = false;
  led = 'Off';
  chassisLed = 'Off';
  attributes: Record<string, unknown> = { BootMode: 'Bios', NumLock: true, AdminPassword: 'x' };
  readonly drives: Record<string, StubDrive> = {
    Cd: { types: ['CD', 'DVD'], image: null, inserted: undefined },
    Floppy: { types: ['Floppy', 'USBStick'], image: null, inserted: undefined },
  };
  readonly subscriptions = new Map<string, Json>();
  #subscribed = 0;

  /** Members of the service root. */
  readonly root: Json = { EventService: link(EVENTS) };

  /** Members of the system. */
  system(): Json {
    return {
      IndicatorLED: this.led,
      BiosVersion: 'B-1.2',
      Manufacturer: 'Stub',
      SerialNumber: 'S-1',
      ProcessorSummary: { Count: 2, ProcessorArchitecture: 'x86' },
      MemorySummary: { TotalSystemMemoryGiB: 96 },
      Bios: link(BIOS),
      ...(this.secureBoot !== undefined && { SecureBoot: link(SECURE_BOOT) }),
      Links: { ManagedBy: [link(MANAGER)], Chassis: [link(CHASSIS)] },
    };
  }

  patchSystem(body: Json): void {
    if (this.deaf) return;
    if (typeof body['IndicatorLED'] === 'string') this.led = body['IndicatorLED'];
    const mode = (body['Boot'] as Json | undefined)?.['BootSourceOverrideMode'];
    if (mode === 'UEFI' || mode === 'Legacy') this.bootMode = mode;
  }

  answer(method: string, path: string, body: Json): StubAnswer | undefined {
    if (method === 'GET') {
      const found = this.#resources()[path];
      return found === undefined ? undefined : { status: 200, body: found };
    }
    if (method === 'POST' && path === SUBSCRIPTIONS) return this.#subscribe(body);
    if (method === 'POST' && this.#refusesInsertion(path, body)) return { status: 400 };
    return this.#change(method, path, body) ? { status: 204 } : undefined;
  }

  #resources(): Readonly<Record<string, Json>> {
    const drives = Object.entries(this.drives).map(([name, drive]) => [
      `${MEDIA}/${name}`,
      this.#shownDrive(name, drive),
    ]);
    const subscriptions = [...this.subscriptions].map(([id, one]) => [
      `${SUBSCRIPTIONS}/${id}`,
      one,
    ]);
    return {
      ...(Object.fromEntries([...drives, ...subscriptions]) as Record<string, Json>),
      [BIOS]: {
        Attributes: this.attributes,
        '@Redfish.Settings': { SettingsObject: link(`${BIOS}/Settings`) },
      },
      [`${BIOS}/Settings`]: { Attributes: this.attributes },
      [SECURE_BOOT]: { SecureBootEnable: this.secureBoot },
      [CHASSIS]: { IndicatorLED: this.chassisLed },
      [MANAGER]: { FirmwareVersion: 'M-3.4', VirtualMedia: link(MEDIA) },
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

  #shownDrive(name: string, { types, image }: StubDrive): Json {
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
        this.attributes = { ...this.attributes, ...(body['Attributes'] as Json) };
      },
      [`PATCH ${SECURE_BOOT}`]: () => {
        this.secureBoot = body['SecureBootEnable'] === true;
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
