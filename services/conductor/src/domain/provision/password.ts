import { encrypt } from 'unixcrypt';

/** A password as a Unix system stores it: sha512-crypt, under a salt of its own. */
export const hashedPassword = (password: string): string => encrypt(password);
