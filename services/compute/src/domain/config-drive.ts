import { type ServerRecord } from '@tenure/contracts';

/** The content of a server's config drive, in OpenStack's `latest` layout. */
export function configDriveOf(server: ServerRecord): {
  readonly meta_data: Readonly<Record<string, unknown>>;
  readonly user_data?: string;
} {
  const { key_name: name, public_key: data, user_data: userData, task } = server;
  const hasKey = name !== null && data !== null;
  const password = task?.arguments.admin_pass;
  return {
    meta_data: {
      uuid: server.uuid,
      name: server.name,
      hostname: server.hostname,
      launch_index: 0,
      availability_zone: server.availability_zone,
      project_id: server.project_id,
      meta: server.metadata,
      devices: [],
      ...(hasKey && { public_keys: { [name]: data }, keys: [{ name, type: 'ssh', data }] }),
      ...(password !== undefined && { admin_pass: password }),
    },
    ...(userData !== null && { user_data: Buffer.from(userData, 'base64').toString('utf8') }),
  };
}
