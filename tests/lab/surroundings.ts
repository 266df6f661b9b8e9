import path from 'node:path';
import { type StoreKind } from '../support/cluster/cluster.js';
import { Clocks } from './clocks.js';
import { Disks, ownDirectory } from './disks.js';

type Settings = Readonly<Record<string, string>>;

/** Replicas that keep files of their own. */
const statefulWith = (store: StoreKind): readonly string[] => [
  ...['pdp-0', 'pdp-1'],
  ...(store === 'sqlite' ? ['inventory-0'] : []),
];

/** Disks and clocks of the replicas of a cluster. */
export class Surroundings {
  readonly disks = new Disks();
  readonly clocks = new Clocks();

  /** Faults that this machine cannot have: kind, and why. */
  get lacks(): Readonly<Record<string, string>> {
    const { disks, clocks } = this;
    return {
      ...(disks.lack !== undefined && { disk: disks.lack }),
      ...(clocks.lack !== undefined && { clock: clocks.lack }),
    };
  }

  /** Makes them for a cluster that is about to start; gives the settings of each replica by its name. */
  prepare(dataDir: string, store: StoreKind): (replica: string) => Settings {
    const stateful = statefulWith(store);
    this.clocks.open(path.join(dataDir, 'clocks'));
    for (const name of stateful) this.disks.add(name, ownDirectory(dataDir, name));
    return (name) => ({
      ...this.clocks.settingsOf(name),
      ...(stateful.includes(name) && { TENURE_DATA_DIR: ownDirectory(dataDir, name) }),
    });
  }

  close(): void {
    this.disks.close();
    this.clocks.close();
  }
}
