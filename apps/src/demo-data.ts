export const demoUsers = ['ada', 'grace']

export const demoSnippets: readonly Readonly<{ title: string; language: string; code: string }>[] = [
  {
    title: 'Read a large file in pieces',
    language: 'python',
    code: `def pieces(path, size=64 * 1024):
    with open(path, "rb") as file:
        while piece := file.read(size):
            yield piece
`,
  },
  {
    title: 'Wait for a while',
    language: 'javascript',
    code: `const wait = ms => new Promise(resolve => setTimeout(resolve, ms))

await wait(500)
`,
  },
  {
    title: 'Latest row of each group (PostgreSQL)',
    language: 'sql',
    code: `SELECT DISTINCT ON (customer_id) customer_id, id, placed_at
FROM orders
ORDER BY customer_id, placed_at DESC;
`,
  },
  {
    title: 'A script that stops at its first failure',
    language: 'bash',
    code: `#!/usr/bin/env bash
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
`,
  },
  {
    title: 'Count words',
    language: 'rust',
    code: `fn count_words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}
`,
  },
]
