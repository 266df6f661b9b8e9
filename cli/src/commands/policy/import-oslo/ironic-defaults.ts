/** A check string, and the rules of Ironic that have it by default. */
type Default = readonly [check: string, names: readonly string[]];

// Ironic's policy of August 2026, as it ships, with the new defaults. Helpers come first.
const DEFAULTS: readonly Default[] = [
  ['role:admin or role:administrator', ['admin_api']],
  ['is_public_api:True', ['public_api']],
  ['!', ['show_password', 'show_instance_secrets']],
  ['role:service and project_name:%(config.service_project_name)s', ['service_role']],
  [
    '(project_domain_id:default or project_domain_id:None) and (project_name:demo or project_name:baremetal)',
    ['is_member'],
  ],
  ['rule:is_member and (role:observer or role:baremetal_observer)', ['is_observer']],
  ['rule:admin_api or (rule:is_member and role:baremetal_admin)', ['is_admin']],
  ['project_id:%(node.owner)s', ['is_node_owner']],
  ['project_id:%(node.lessee)s', ['is_node_lessee']],
  ['project_id:%(allocation.owner)s', ['is_allocation_owner']],
  [
    '(role:admin and system_scope:all) or (role:service and system_scope:all)',
    ['baremetal:node:create'],
  ],
  ['(role:admin) or (role:service)', ['baremetal:node:create:self_owned_node']],
  [
    '(role:reader) or (role:service)',
    [
      'baremetal:node:list',
      'baremetal:port:list',
      'baremetal:portgroup:list',
      'baremetal:volume:list',
      'baremetal:allocation:list',
      'baremetal:runbook:list',
    ],
  ],
  [
    '(role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role',
    [
      'baremetal:node:list_all',
      'baremetal:node:get:filter_threshold',
      'baremetal:shards:get',
      'baremetal:port:list_all',
      'baremetal:portgroup:list_all',
      'baremetal:chassis:get',
      'baremetal:driver:get',
      'baremetal:driver:get_properties',
      'baremetal:driver:get_raid_logical_disk_properties',
      'baremetal:volume:list_all',
      'baremetal:conductor:get',
      'baremetal:allocation:list_all',
      'baremetal:deploy_template:get',
      'baremetal:runbook:list_all',
      'baremetal:inspection_rule:get',
      'baremetal:inspection_rule:list_all',
    ],
  ],
  [
    '((role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role) or (role:reader and (project_id:%(node.owner)s or project_id:%(node.lessee)s)) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:node:get',
      'baremetal:node:get_indicator_state',
      'baremetal:node:get_states',
      'baremetal:node:vif:list',
      'baremetal:node:traits:list',
      'baremetal:node:bios:get',
      'baremetal:node:firmware:get',
      'baremetal:node:vmedia:get',
      'baremetal:port:get',
      'baremetal:portgroup:get',
      'baremetal:volume:get',
    ],
  ],
  [
    '((role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role) or (role:service and system_scope:all) or (role:reader and project_id:%(node.owner)s) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:node:get:last_error',
      'baremetal:node:get:reservation',
      'baremetal:node:get:driver_internal_info',
      'baremetal:node:get:driver_info',
      'baremetal:node:history:get',
      'baremetal:node:inventory:get',
    ],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:service and system_scope:all) or (role:member and project_id:%(node.owner)s) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:node:update:driver_info',
      'baremetal:node:update:properties',
      'baremetal:node:update:instance_uuid',
      'baremetal:node:update:lessee',
      'baremetal:node:update:network_data',
      'baremetal:node:update:name',
      'baremetal:node:update:retired',
      'baremetal:node:set_indicator_state',
      'baremetal:node:set_raid_state',
      'baremetal:node:get_console',
      'baremetal:node:set_console_state',
    ],
  ],
  [
    'role:admin and system_scope:all',
    [
      'baremetal:node:update:chassis_uuid',
      'baremetal:node:update_owner_provisioned',
      'baremetal:node:delete',
      'baremetal:node:disable_cleaning',
      'baremetal:node:update:shard',
      'baremetal:node:update:disable_power_off',
      'baremetal:chassis:create',
      'baremetal:chassis:delete',
      'baremetal:node:vendor_passthru',
      'baremetal:driver:vendor_passthru',
      'baremetal:events:post',
      'baremetal:deploy_template:create',
      'baremetal:deploy_template:delete',
      'baremetal:deploy_template:update',
      'baremetal:inspection_rule:create',
      'baremetal:inspection_rule:update',
      'baremetal:inspection_rule:delete',
    ],
  ],
  [
    '(role:member and system_scope:all) or rule:service_role',
    [
      'baremetal:node:update:owner',
      'baremetal:node:update:conductor_group',
      'baremetal:node:update:parent_node',
      'baremetal:chassis:update',
      'baremetal:allocation:create_restricted',
      'baremetal:runbook:update:public',
      'baremetal:runbook:update:owner',
    ],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:service and system_scope:all) or (role:admin and project_id:%(node.owner)s) or (role:manager and project_id:%(node.owner)s) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:node:update:driver_interfaces',
      'baremetal:node:get_boot_device',
      'baremetal:node:set_boot_device',
      'baremetal:node:inject_nmi',
      'baremetal:node:traits:set',
      'baremetal:node:traits:delete',
      'baremetal:port:update',
      'baremetal:portgroup:update',
    ],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:member and (project_id:%(node.owner)s or project_id:%(node.lessee)s)) or (role:service and system_scope:all)',
    [
      'baremetal:node:update',
      'baremetal:node:update_extra',
      'baremetal:node:set_power_state',
      'baremetal:node:set_boot_mode',
      'baremetal:node:set_secure_boot',
      'baremetal:node:vmedia:attach',
      'baremetal:node:vmedia:detach',
    ],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:service and system_scope:all) or (role:member and project_id:%(node.owner)s) or (role:admin and project_id:%(node.lessee)s) or (role:manager and project_id:%(node.lessee)s) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:node:update_instance_info',
      'baremetal:node:validate',
      'baremetal:node:set_maintenance',
      'baremetal:node:clear_maintenance',
      'baremetal:node:set_provision_state',
      'baremetal:node:set_provision_state:clean_steps',
      'baremetal:node:set_provision_state:service_steps',
      'baremetal:node:vif:attach',
      'baremetal:node:vif:detach',
      'baremetal:volume:update',
    ],
  ],
  ['role:admin and project_id:%(node.owner)s', ['baremetal:node:delete:self_owned_node']],
  [
    '(role:admin and system_scope:all) or (role:service and system_scope:all) or (role:admin and project_id:%(node.owner)s) or (role:manager and project_id:%(node.owner)s) or (role:service and project_id:%(node.owner)s)',
    [
      'baremetal:port:create',
      'baremetal:port:delete',
      'baremetal:portgroup:create',
      'baremetal:portgroup:delete',
    ],
  ],
  [
    '',
    [
      'baremetal:node:ipa_heartbeat',
      'baremetal:driver:ipa_lookup',
      'baremetal:driver:ipa_continue_inspection',
    ],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:service and system_scope:all) or (role:admin and project_id:%(node.owner)s) or (role:manager and project_id:%(node.owner)s) or (role:admin and project_id:%(node.lessee)s) or (role:manager and project_id:%(node.lessee)s) or (role:service and project_id:%(node.owner)s)',
    ['baremetal:volume:create', 'baremetal:volume:delete'],
  ],
  [
    '((role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role) or (role:admin)',
    ['baremetal:volume:view_target_properties'],
  ],
  [
    '((role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role) or (role:reader and project_id:%(allocation.owner)s)',
    ['baremetal:allocation:get'],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:member)',
    ['baremetal:allocation:create'],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:member and project_id:%(allocation.owner)s)',
    ['baremetal:allocation:delete', 'baremetal:allocation:update'],
  ],
  [
    '(rule:is_member and role:baremetal_admin) or (is_admin_project:True and role:admin)',
    ['baremetal:allocation:create_pre_rbac'],
  ],
  [
    '((role:reader and system_scope:all) or (role:service and system_scope:all) or rule:service_role) or (role:reader and project_id:%(runbook.owner)s) or role:service',
    ['baremetal:runbook:get'],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or role:manager or role:service',
    ['baremetal:runbook:create'],
  ],
  [
    '((role:member and system_scope:all) or rule:service_role) or (role:manager and project_id:%(runbook.owner)s) or role:service',
    ['baremetal:runbook:delete', 'baremetal:runbook:update', 'baremetal:runbook:use'],
  ],
];

/** Ironic's default check string of each of its rules; references to rules that are not in the file resolve to it. */
export const IRONIC_DEFAULTS: ReadonlyMap<string, string> = new Map(
  DEFAULTS.flatMap(([check, names]) => names.map((name): [string, string] => [name, check])),
);

/** Rules that took over a part of an older rule. Where a file sets only the older one, Ironic lets it decide these too. */
export const SPLIT_FROM: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'baremetal:node:get',
    [
      'baremetal:node:get:filter_threshold',
      'baremetal:node:get:last_error',
      'baremetal:node:get:reservation',
      'baremetal:node:get:driver_internal_info',
      'baremetal:node:get:driver_info',
      'baremetal:node:history:get',
      'baremetal:node:inventory:get',
    ],
  ],
  [
    'baremetal:node:update',
    [
      'baremetal:node:update:driver_info',
      'baremetal:node:update:properties',
      'baremetal:node:update:chassis_uuid',
      'baremetal:node:update:instance_uuid',
      'baremetal:node:update:lessee',
      'baremetal:node:update:owner',
      'baremetal:node:update:driver_interfaces',
      'baremetal:node:update:network_data',
      'baremetal:node:update:conductor_group',
      'baremetal:node:update:name',
      'baremetal:node:update:retired',
    ],
  ],
  ['baremetal:node:set_maintenance', ['baremetal:node:set_boot_device']],
  [
    'baremetal:node:set_power_state',
    ['baremetal:node:set_boot_mode', 'baremetal:node:set_secure_boot'],
  ],
  ['baremetal:portgroup:get', ['baremetal:portgroup:list', 'baremetal:portgroup:list_all']],
  ['baremetal:volume:get', ['baremetal:volume:list_all', 'baremetal:volume:list']],
  ['baremetal:volume:update', ['baremetal:volume:view_target_properties']],
]);
