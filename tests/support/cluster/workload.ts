import { type Part } from '../tenure.js';
import { eventually, sleep } from '../wait.js';
import { Pod } from './pod.js';
import { type Service } from './service.js';

/** As in k8s/base, but for a look each second. */
const PROBE_MS = 1000;
const FAILURES = 2;
/** Two clusters that start at once on a busy machine take minutes. */
const READY_WITHIN_MS = 200_000;

export interface WorkloadOptions {
  readonly part: Part;
  readonly replicas: number;
  readonly logDir: string;
  readonly env: (pod: { readonly name: string }) => Readonly<Record<string, string>>;
  /** Pods keep their names, and are replaced one after the other. */
  readonly isStateful?: boolean;
}

/** As a Deployment or StatefulSet of Kubernetes, with its Service, and the kubelet's probes. */
export class Workload {
  readonly service: Service;
  readonly #options: WorkloadOptions;
  readonly #ending: Promise<boolean>[] = [];
  readonly #watches: Promise<void>[] = [];
  #pods: readonly Pod[] = [];
  #made = 0;
  #isClosed = false;

  constructor(service: Service, options: WorkloadOptions) {
    this.service = service;
    this.#options = options;
  }

  get pods(): readonly Pod[] {
    return this.#pods;
  }

  async start(): Promise<void> {
    const { replicas } = this.#options;
    const pods = await Promise.all(Array.from({ length: replicas }, () => this.#add()));
    await Promise.all(pods.map((pod) => this.#untilReady(pod)));
  }

  /** Replaces every pod by a new one, as Kubernetes does with `maxSurge: 1`, or one by one. Throws when one had to be killed. */
  async roll(): Promise<void> {
    for (const old of this.#pods) {
      if (this.#options.isStateful === true) {
        await this.#end(old);
        await this.#untilReady(await this.#add(old.name));
      } else {
        await this.#untilReady(await this.#add());
        this.#ending.push(this.#end(old));
      }
    }
    const ended = await Promise.all(this.#ending.splice(0));
    if (ended.includes(false)) throw new Error(`${this.#options.part}: a pod had to be killed`);
  }

  /** Waits until every pod gets connections. */
  async untilWhole(): Promise<void> {
    await eventually(
      () => this.#pods.filter(({ port }) => !this.service.ready.includes(port)).map((p) => p.name),
      (missing) => missing.length === 0,
      { within: READY_WITHIN_MS, what: `whole ${this.#options.part}` },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pods.map((pod) => pod.end()));
    await Promise.all(this.#watches);
    this.service.close();
  }

  async #add(name?: string): Promise<Pod> {
    const { part, env, logDir } = this.#options;
    const own = name ?? `${part}-${String(this.#made++)}`;
    const pod = await Pod.start({ part, name: own, env: env({ name: own }), logDir });
    this.#pods = [...this.#pods, pod];
    this.#watches.push(this.#watch(pod));
    return pod;
  }

  async #untilReady({ port, name }: Pod): Promise<void> {
    await eventually(
      () => this.service.ready.includes(port),
      (ready) => ready,
      { within: READY_WITHIN_MS, what: `ready ${name}` },
    );
  }

  async #end(pod: Pod): Promise<boolean> {
    pod.isTerminating = true;
    this.#pods = this.#pods.filter((one) => one !== pod);
    const [, ended] = await Promise.all([this.service.remove(pod.port), pod.terminate()]);
    return ended;
  }

  #isOver(pod: Pod): boolean {
    return this.#isClosed || pod.isTerminating;
  }

  /** As the kubelet: asks whether it is ready, and starts it again when it has died. */
  async #watch(pod: Pod): Promise<void> {
    let failures = 0;
    while (!this.#isOver(pod)) {
      const isReady = (await pod.readyz()).startsWith('200');
      failures = isReady ? 0 : failures + 1;
      if (this.#isOver(pod)) return;
      await this.#follow(pod, failures);
      if (!pod.isAlive && !this.#isOver(pod)) pod.restart();
      await sleep(PROBE_MS);
    }
  }

  async #follow({ port, isAlive }: Pod, failures: number): Promise<void> {
    const isIn = this.service.ready.includes(port);
    if (failures === 0 && !isIn) await this.service.add(port);
    if (isIn && (failures >= FAILURES || !isAlive)) await this.service.remove(port);
  }
}
