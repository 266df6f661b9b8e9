export { hasDuplicateMembers } from './json-members.js';
export * from './listener.js';
export * from './read-body.js';
export * from './service-app.js';
export * from './service-client.js';
