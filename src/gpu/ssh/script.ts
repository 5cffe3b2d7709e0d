import { scriptOf } from '../../remote/script';
import hostSh from './host.sh';

/** The script for one connection. Whatever stands before the nonce's first appearance in its output is not from it. */
export function scriptWith(nonce: string): string {
  if (!/^[0-9a-z]+$/.test(nonce)) throw new RangeError(`No nonce: ${nonce}`);
  return `N=${nonce}\n${scriptOf(hostSh).trimStart()}`;
}
