import { type Fault } from '../fault.js';
import { type LinkState } from '../link.js';
import { type World } from '../world.js';
import { type Undo } from './undo.js';

type LinkFault = Extract<Fault, { readonly kind: 'cut' | 'hold' | 'slow' }>;

/** Cuts, holds up or slows down what one part sends to another. */
export function disturbLink(world: World, fault: LinkFault): Undo {
  const link = world.link(fault.from, fault.to);
  link.set(stateOf(fault));
  return () => {
    link.set({ kind: 'open' });
  };
}

function stateOf(fault: LinkFault): LinkState {
  switch (fault.kind) {
    case 'cut':
      return { kind: 'cut' };
    case 'hold':
      return { kind: 'paused' };
    case 'slow':
      return { kind: 'slow', delayMs: fault.delayMs };
  }
}
