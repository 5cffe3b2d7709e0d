import { extensions } from 'vscode';
import type { Uri } from 'vscode';
import { setting } from '../../host/settings';

/** What is asked of the Python extension (its README, “API”: `@vscode/python-extension`). */
interface PythonExtensionApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource: Uri): EnvironmentPath;
    resolveEnvironment(environment: EnvironmentPath): Promise<ResolvedEnvironment | undefined>;
  };
}

interface EnvironmentPath {
  readonly id: string;
  readonly path: string;
}

interface ResolvedEnvironment {
  readonly executable: { readonly uri: Uri | undefined };
}

/** The Python of a config: that of the setting, else the one that is selected in the Python extension; '' leaves it to a search. */
export async function pythonFor(resource: Uri): Promise<string> {
  const named = setting('python', resource);
  return named === '' ? ((await selectedFor(resource)) ?? '') : named;
}

/** Null without the extension, and where it knows no Python: what it selects may be gone. */
async function selectedFor(resource: Uri): Promise<string | null> {
  const extension = extensions.getExtension<PythonExtensionApi>('ms-python.python');
  if (!extension) return null;
  try {
    const { environments } = await extension.activate();
    const path = environments?.getActiveEnvironmentPath(resource);
    const found = path && (await environments?.resolveEnvironment(path));
    return found?.executable.uri?.fsPath ?? null;
  } catch {
    // Another's extension that fails is no reason not to look further.
    return null;
  }
}
