// The one comment of the action on a pull request, through GitHub's API.

/** The first line of a comment of Headroom (core/render/changes.ts). */
const MARK = '<!-- headroom-diff -->';
const NOTHING = `${MARK}\nNo run needs more or less GPU memory.`;
const MOST_PAGES = 30;

class Refused extends Error {}

/**
 * Keeps the comment up to date; '' as text: nothing changed. Says nothing about an unchanged pull request, unless an
 * earlier comment is no longer true. Returns a problem as a sentence, or null: a comment that can't be written is no
 * reason to fail.
 */
export async function comment({ api, graphql, repository, token, number, mode, text }) {
  const call = caller(token);
  const issue = `${api}/repos/${repository}/issues`;
  try {
    const own = await ownComments(call, `${issue}/${number}/comments`);
    const last = own.at(-1);
    if (mode === 'update' && last) {
      const body = text === '' ? NOTHING : text;
      if (last.body.trim() !== body) await call('PATCH', `${issue}/comments/${last.id}`, { body });
      return null;
    }
    if (mode === 'delete-and-new') {
      for (const { id } of own) await call('DELETE', `${issue}/comments/${id}`);
    }
    if (mode === 'hide-and-new') {
      for (const { node_id } of own) await call('POST', graphql, hiding(node_id));
    }
    if (text !== '') await call('POST', `${issue}/${number}/comments`, { body: text });
    return null;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return `The comment could not be written: ${error.message}. Give the job the permission pull-requests: write.`;
  }
}

const hiding = id => ({
  query:
    'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { clientMutationId } }',
  variables: { id },
});

/** Comments of bots that begin with the mark, the oldest first: anyone can write the mark. */
async function ownComments(call, address) {
  const found = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const comments = await call('GET', `${address}?per_page=100&page=${page}`);
    found.push(...comments.filter(({ body, user }) => user?.type === 'Bot' && (body ?? '').startsWith(MARK)));
    if (comments.length < 100) break;
  }
  return found;
}

const caller = token => async (method, address, body) => {
  const response = await fetch(address, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Refused(`${method} answered ${response.status}`);
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
};
