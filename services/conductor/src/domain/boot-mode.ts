export const BOOT_MODES = ['bios', 'uefi'] as const;
export type BootMode = (typeof BOOT_MODES)[number];

export const isBootMode = (name: string): name is BootMode =>
  BOOT_MODES.some((mode) => mode === name);
