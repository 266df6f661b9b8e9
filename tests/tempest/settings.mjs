// The settings of tempest: where Keystone is and its administrator; the rest it finds in the catalog, and makes its own
// projects and users, one set for each class of tests.

/** The highest microversion that a gateway advertises, as any client learns it. */
export async function advertisedVersion(gatewayUrl) {
  const response = await fetch(`${gatewayUrl}/v1`, { signal: AbortSignal.timeout(10_000) });
  const { version } = (await response.json()).version;
  return version;
}

const section = (name, options) =>
  [`[${name}]`, ...Object.entries(options).map(([key, value]) => `${key} = ${value}`)].join('\n');

/** The text of tempest.conf. */
export function tempestConf({ directory, keystoneUrl, adminPassword, maxMicroversion }) {
  return [
    section('DEFAULT', { log_file: `${directory}/tempest.log` }),
    section('oslo_concurrency', { lock_path: `${directory}/locks` }),
    section('auth', {
      use_dynamic_credentials: true,
      create_isolated_networks: false,
      admin_username: 'admin',
      admin_password: adminPassword,
      admin_domain_name: 'Default',
      admin_system: 'all',
    }),
    section('identity', {
      auth_version: 'v3',
      uri_v3: keystoneUrl,
      v3_endpoint_type: 'public',
      region: 'RegionOne',
    }),
    section('service_available', {
      ironic: true,
      neutron: false,
      nova: false,
      glance: false,
      cinder: false,
      swift: false,
    }),
    section('enforce_scope', { ironic: true }),
    section('compute', { build_interval: 1, build_timeout: 60 }),
    section('baremetal', {
      driver: 'fake-hardware',
      enabled_drivers: 'fake-hardware',
      enabled_hardware_types: 'fake-hardware',
      enabled_rescue_interfaces: 'fake',
      default_rescue_interface: 'fake',
      max_microversion: maxMicroversion,
    }),
    '',
  ].join('\n\n');
}

/** How stestr finds the tests: those of a class run one after the other, for they share what the class made. */
export const stestrConf = (sitePackages) =>
  section('DEFAULT', {
    test_path: `${sitePackages}/ironic_tempest_plugin/tests/api`,
    top_dir: sitePackages,
    group_regex: '([^\\.]*\\.)*',
  }) + '\n';
