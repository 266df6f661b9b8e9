import { startStubCloud } from './servers/cloud.js';
import { describeServers } from './servers/rounds.js';

describeServers('a Nova behind NOVA_URL', startStubCloud);
