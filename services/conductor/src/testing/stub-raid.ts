type Json = Readonly<Record<string, unknown>>;

interface StubAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const STORAGE = '/redfish/v1/Systems/1/Storage';
const VOLUMES = `${STORAGE}/R/Volumes`;
const TASK = '/redfish/v1/TaskService/TaskMonitors/1';

const link = (path: string): Json => ({ '@odata.id': path });
const collection = (paths: readonly string[]): Json => ({
  Members: paths.map((path) => link(path)),
});

/** A RAID controller with four drives, and how it misbehaves. */
export class StubRaid {
  readonly volumes = new Map<string, Json>();
  /** `at once`: 201 or 204. `task`: 202, and a task that ends after this many polls. `start`: with the next start of the machine. */
  works: 'at once' | 'task' | 'start' = 'at once';
  taskLooks = 2;
  /** State in which a task ends. */
  taskEnds = 'Completed';
  /** Where the task is to be looked for. */
  taskAt = TASK;
  /** Does nothing, but answers with success. */
  deaf = false;
  /** Status of the answer to a POST, after the deed. */
  postStatus: number | undefined;
  #made = 0;
  #pending: (() => void)[] = [];
  #looks = 0;

  /** A volume that is there from the beginning. */
  add(id: string, volume: Json): void {
    this.volumes.set(`${VOLUMES}/${id}`, { Id: id, ...volume });
  }

  started(): void {
    for (const change of this.#pending.splice(0)) change();
  }

  answer(method: string, path: string, body: Json): StubAnswer | undefined {
    if (method === 'GET') return this.#show(path);
    if (method === 'POST' && path === VOLUMES) {
      this.#made += 1;
      const id = `V${String(this.#made)}`;
      const done = this.#do(201, () => {
        this.add(id, body);
      });
      return this.postStatus === undefined ? done : { status: this.postStatus };
    }
    if (method === 'DELETE' && this.volumes.has(path))
      return this.#do(204, () => this.volumes.delete(path));
    return undefined;
  }

  #do(status: number, change: () => void): StubAnswer {
    if (!this.deaf) this.#pending.push(change);
    if (this.works === 'at once') this.started();
    this.#looks = 0;
    return this.works === 'at once'
      ? { status }
      : { status: 202, headers: { location: this.taskAt } };
  }

  #task(): StubAnswer {
    this.#looks += 1;
    if (this.works === 'start' || this.#looks < this.taskLooks)
      return { status: 202, body: { TaskState: 'Running' } };
    if (this.taskEnds === 'Completed') this.started();
    return { status: 200, body: { TaskState: this.taskEnds } };
  }

  #show(path: string): StubAnswer | undefined {
    if (path === TASK) return this.#task();
    const body = this.#resources()[path];
    return body === undefined ? undefined : { status: 200, body };
  }

  #resources(): Readonly<Record<string, Json>> {
    const drives = ['D1', 'D2', 'D3', 'D4'].map((id) => `${STORAGE}/R/Drives/${id}`);
    return {
      [STORAGE]: collection([`${STORAGE}/R`]),
      [`${STORAGE}/R`]: { Id: 'R', Volumes: link(VOLUMES), Drives: drives.map((one) => link(one)) },
      [VOLUMES]: {
        ...collection([...this.volumes.keys()]),
        ...(this.works === 'start' && {
          '@Redfish.OperationApplyTimeSupport': { SupportedValues: ['OnReset'] },
        }),
      },
      ...Object.fromEntries(this.volumes),
      ...Object.fromEntries(
        drives.map((path, index) => [
          path,
          { Id: path.slice(-2), MediaType: index < 2 ? 'HDD' : 'SSD', Protocol: 'SAS' },
        ]),
      ),
    };
  }
}
