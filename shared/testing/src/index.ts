export * from './filters.js';
export { aNode } from './inventory/a-node.js';
export { FakeInventory } from './inventory/fake-inventory.js';
export {
  faultOf,
  keyPair,
  type Method,
  sendSigned,
  type SignedCall,
  signedCall,
} from './signed-calls.js';
