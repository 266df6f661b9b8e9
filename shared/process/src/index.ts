export * from './admin-server.js';
export * from './config.js';
export * from './dev-token-key.js';
export * from './help.js';
export * from './logger.js';
export * from './metrics.js';
export * from './part-variables.js';
export * from './run-part.js';
