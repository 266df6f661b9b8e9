import { type Session, type Operation } from '../session.js';
import { type World } from '../world.js';
import { allocator } from './allocator.js';
import { deployer } from './deployer.js';
import { landlord } from './landlord.js';
import { switcher } from './switcher.js';
import { writer } from './writer.js';

/** The clients of a run, by name. */
export const clientsOf = (
  { powered, leased, deployed, written }: World,
  open: (client: string) => Session,
): readonly Operation[] => [
  ...powered.map((machine) => switcher(open(`switcher ${machine.node.name}`), machine)),
  ...leased.map((machine) => landlord(open(`landlord ${machine.node.name}`), machine)),
  ...deployed.map((node) => deployer(open(`deployer ${node.name}`), node)),
  ...written.map((node) => writer(open(`writer ${node.name}`), node)),
  ...[1, 2, 3].map((n) => allocator(open(`allocator ${String(n)}`))),
];
