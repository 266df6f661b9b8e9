import { Type } from '@sinclair/typebox';
import { type ConfigOf, secretFrom, type Variables } from '@tenure/process';
import { type ServiceCredential } from './service-session.js';

const Text = Type.String({ minLength: 1 });
const File = { schema: Text, fallback: '' } as const;

/** Where Keystone is, and who a part is there. */
export const KEYSTONE_VARIABLES = {
  keystoneUrl: {
    env: 'KEYSTONE_URL',
    schema: Type.String({
      pattern: '^https?://[^?#@\\s]+/v3/?$',
      description: 'the http or https URL of Keystone, with /v3 at its end',
    }),
    fallback: '',
    about: 'Keystone, with /v3; none: its tokens are not taken',
  },
  keystoneUsername: {
    env: 'KEYSTONE_USERNAME',
    ...File,
    about: "name of this part's own user, with role service",
  },
  keystonePassword: {
    env: 'KEYSTONE_PASSWORD',
    ...File,
    about: 'its password; better KEYSTONE_PASSWORD_FILE',
  },
  keystonePasswordFile: {
    env: 'KEYSTONE_PASSWORD_FILE',
    ...File,
    about: 'file with its password',
  },
  keystoneUserDomainId: {
    env: 'KEYSTONE_USER_DOMAIN_ID',
    schema: Text,
    fallback: 'default',
    about: 'its domain',
  },
  keystoneProjectName: {
    env: 'KEYSTONE_PROJECT_NAME',
    schema: Text,
    fallback: 'service',
    about: 'the project it logs in to',
  },
  keystoneProjectDomainId: {
    env: 'KEYSTONE_PROJECT_DOMAIN_ID',
    schema: Text,
    fallback: 'default',
    about: 'the domain of that project',
  },
  keystoneApplicationCredentialId: {
    env: 'KEYSTONE_APPLICATION_CREDENTIAL_ID',
    ...File,
    about: 'an application credential in place of name and password',
  },
  keystoneApplicationCredentialSecret: {
    env: 'KEYSTONE_APPLICATION_CREDENTIAL_SECRET',
    ...File,
    about: 'its secret; better KEYSTONE_APPLICATION_CREDENTIAL_SECRET_FILE',
  },
  keystoneApplicationCredentialSecretFile: {
    env: 'KEYSTONE_APPLICATION_CREDENTIAL_SECRET_FILE',
    ...File,
    about: 'file with its secret',
  },
} as const satisfies Variables;

export type KeystoneConfig = ConfigOf<typeof KEYSTONE_VARIABLES>;

/** Problems of the combination of these variables. */
export function keystoneProblems(config: KeystoneConfig): readonly string[] {
  if (config.keystoneUrl === '' || hasPassword(config) !== hasApplicationCredential(config))
    return [];
  return [
    'KEYSTONE_URL needs either KEYSTONE_USERNAME with KEYSTONE_PASSWORD or KEYSTONE_PASSWORD_FILE, ' +
      'or KEYSTONE_APPLICATION_CREDENTIAL_ID with its _SECRET or _SECRET_FILE',
  ];
}

/**
 * The credential that is configured.
 * @throws Error when a file with a secret cannot be read
 */
export const credentialOf = (config: KeystoneConfig): ServiceCredential =>
  config.keystoneApplicationCredentialId === ''
    ? {
        kind: 'password',
        username: config.keystoneUsername,
        password: secretFrom(
          config.keystonePassword,
          config.keystonePasswordFile,
          'KEYSTONE_PASSWORD',
        ),
        userDomainId: config.keystoneUserDomainId,
        projectName: config.keystoneProjectName,
        projectDomainId: config.keystoneProjectDomainId,
      }
    : {
        kind: 'application_credential',
        id: config.keystoneApplicationCredentialId,
        secret: secretFrom(
          config.keystoneApplicationCredentialSecret,
          config.keystoneApplicationCredentialSecretFile,
          'KEYSTONE_APPLICATION_CREDENTIAL_SECRET',
        ),
      };

const hasPassword = (config: KeystoneConfig): boolean =>
  config.keystoneUsername !== '' &&
  exactlyOne([config.keystonePassword, config.keystonePasswordFile]);

const hasApplicationCredential = (config: KeystoneConfig): boolean =>
  config.keystoneApplicationCredentialId !== '' &&
  exactlyOne([
    config.keystoneApplicationCredentialSecret,
    config.keystoneApplicationCredentialSecretFile,
  ]);

const exactlyOne = (values: readonly string[]): boolean =>
  values.filter((value) => value !== '').length === 1;
