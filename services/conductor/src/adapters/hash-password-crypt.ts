import { encrypt } from 'unixcrypt';
import { type HashPassword } from '../domain/provision/order.js';

/** sha512-crypt, as a Unix system stores a password, under a salt of its own. */
export const hashBySha512Crypt: HashPassword = (password) => encrypt(password);
