export { hiddenMarkIn, isSecretKey, withoutSecrets } from '@tenure/contracts';
