// How a suite reports that it cannot run on this machine: neither passed nor failed.

/** The exit status of a suite that cannot run here, as in Automake. */
export const SKIPPED = 77;

/** Why a suite cannot run here; the message completes "skipped: …". */
export class CannotRunHere extends Error {}

/** Runs a suite and ends the process with its exit status. */
export async function endWith(suite) {
  try {
    process.exit(await suite());
  } catch (error) {
    const skipped = error instanceof CannotRunHere;
    console.error(skipped ? `skipped: ${error.message}` : (error.stack ?? error));
    process.exit(skipped ? SKIPPED : 1);
  }
}
