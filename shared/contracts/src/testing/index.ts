export { aHandover } from './a-handover.js';
