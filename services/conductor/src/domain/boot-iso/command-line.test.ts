import { describe, expect, it } from '@jest/globals';
import { extendCommandLines, type Grammar, grammarOf } from './command-line.js';

describe('a file of a boot medium', () => {
  it.each<readonly [string, Grammar | undefined]>([
    ['/boot/grub/grub.cfg', 'grub'],
    ['/EFI/BOOT/grub.cfg', 'grub'],
    ['/efi/fedora/GRUB.CFG', 'grub'],
    ['/boot/grub2/grub.cfg', 'grub'],
    ['/boot/grub/loopback.cfg', 'grub'],
    ['/isolinux.cfg', 'syslinux'],
    ['/isolinux/isolinux.cfg', 'syslinux'],
    ['/isolinux/txt.cfg', 'syslinux'],
    ['/efi/boot/syslinux.cfg', 'syslinux'],
    ['/boot/syslinux/syslinux.cfg', 'syslinux'],
    ['/boot/extlinux/extlinux.con', 'syslinux'],
    ['/loader/entries/agent.conf', 'loader-entry'],
    ['/loader/entries/agent~1.con', 'loader-entry'],
    ['/loader/loader.conf', undefined],
    ['/etc/app.cfg', undefined],
    ['/isolinux/vmlinuz', undefined],
  ])('%s is a configuration of kind %s', (path, grammar) => {
    expect(grammarOf(path)).toBe(grammar);
  });
});

const extend = (grammar: Grammar, text: string) => extendCommandLines(text, grammar, 'X=1 Y=2');

describe('a configuration of GRUB', () => {
  it.each([
    ['linux /k a b\ninitrd /i\n', 'linux /k a b X=1 Y=2\ninitrd /i\n'],
    ['\tlinuxefi /k\r\n', '\tlinuxefi /k X=1 Y=2\r\n'],
    ['  linux16 /k quiet  \n', '  linux16 /k quiet X=1 Y=2  \n'],
    ['$linux /k ro', '$linux /k ro X=1 Y=2'],
    ['${linux} /k ro', '${linux} /k ro X=1 Y=2'],
    ['linux /k a # only a\n', 'linux /k a X=1 Y=2 # only a\n'],
    ['linux /k a; initrd /i; boot', 'linux /k a X=1 Y=2; initrd /i; boot'],
    [
      'menuentry "x; y" { linux /k; initrd /i; }',
      'menuentry "x; y" { linux /k X=1 Y=2; initrd /i; }',
    ],
    ['if [ $a ]; then linux /k b; fi', 'if [ $a ]; then linux /k b X=1 Y=2; fi'],
    ['linux /k \\\n  a="b c" \\\n  d\n', 'linux /k \\\n  a="b c" \\\n  d X=1 Y=2\n'],
    ["linux /k --- a='b;c'\n", "linux /k --- a='b;c' X=1 Y=2\n"],
  ])('%j becomes %j', (text, made) => {
    expect(extend('grub', text)).toEqual({ text: made, count: 1 });
  });

  it.each([
    '# linux /k a\n',
    'echo linux /k\n',
    'menuentry "linux /k" --class linux {\n  chainloader /x\n}\n',
    'set linux=/k\n',
    'linux\n',
    '',
  ])('%j boots no kernel', (text) => {
    expect(extend('grub', text)).toEqual({ text, count: 0 });
  });

  it('is extended at each of its entries', () => {
    const text = 'menuentry a {\n linux /a\n}\nsubmenu b {\n menuentry c {\n  linux /c\n }\n}\n';
    expect(extend('grub', text).count).toBe(2);
  });
});

describe('a configuration of SYSLINUX', () => {
  it.each([
    [
      'LABEL a\nKERNEL k\nAPPEND initrd=i quiet\n',
      'LABEL a\nKERNEL k\nAPPEND initrd=i quiet X=1 Y=2\n',
    ],
    ['label a\r\n  linux k\r\n  append a  \r\n', 'label a\r\n  linux k\r\n  append a X=1 Y=2\r\n'],
    ['LABEL a\n  KERNEL k\n', 'LABEL a\n  KERNEL k\n  APPEND X=1 Y=2\n'],
    ['LABEL a\nKERNEL k\nAPPEND -\n', 'LABEL a\nKERNEL k\nAPPEND X=1 Y=2\n'],
    ['APPEND a\nLABEL b\nKERNEL k\n', 'APPEND a X=1 Y=2\nLABEL b\nKERNEL k\n'],
    [
      'LABEL a\nKERNEL k\nAPPEND a\nLABEL menu\nKERNEL menu.c32\nAPPEND b.cfg\n',
      'LABEL a\nKERNEL k\nAPPEND a X=1 Y=2\nLABEL menu\nKERNEL menu.c32\nAPPEND b.cfg\n',
    ],
  ])('%j becomes %j', (text, made) => {
    expect(extend('syslinux', text)).toEqual({ text: made, count: 1 });
  });

  it.each(['DEFAULT menu.c32\nINCLUDE txt.cfg\n', 'LABEL a\nLOCALBOOT 0\n'])(
    '%j boots no kernel',
    (text) => {
      expect(extend('syslinux', text)).toEqual({ text, count: 0 });
    },
  );
});

describe('an entry of a boot loader of the specification', () => {
  it.each([
    ['title a\nlinux /k\noptions ro quiet\n', 'title a\nlinux /k\noptions ro quiet X=1 Y=2\n'],
    ['title a\nlinux /k\ninitrd /i', 'title a\nlinux /k\noptions X=1 Y=2\ninitrd /i'],
  ])('%j becomes %j', (text, made) => {
    expect(extend('loader-entry', text)).toEqual({ text: made, count: 1 });
  });

  it('without a kernel is left alone', () => {
    expect(extend('loader-entry', 'efi /shell.efi\noptions a\n').count).toBe(0);
  });
});
