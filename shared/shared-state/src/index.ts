export * from './redis.js';
export * from './revocation-entry.js';
export * from './revocation-file.js';
export * from './revocation-redis.js';
export * from './revocation-store.js';
export * from './seal.js';
export * from './seal-key.js';
