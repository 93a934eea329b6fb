export const demoUsers = ['ada', 'grace', 'linus']

export const demoSnippets: readonly Readonly<{ title: string; language: string; code: string }>[] = [
  {
    title: 'Group lines by their first word',
    language: 'python',
    code: `from collections import defaultdict

def group_by_first_word(lines):
    groups = defaultdict(list)
    for line in lines:
        word, _, rest = line.partition(" ")
        groups[word].append(rest)
    return dict(groups)
`,
  },
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
    code: `const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

await wait(500)
`,
  },
  {
    title: 'Debounce',
    language: 'typescript',
    code: `export const debounce = <A extends unknown[]>(call: (...args: A) => void, ms: number) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  return (...args: A): void => {
    clearTimeout(timer)
    timer = setTimeout(() => call(...args), ms)
  }
}
`,
  },
  {
    title: 'Check that a switch is exhaustive',
    language: 'typescript',
    code: `type Shape = { kind: 'circle'; r: number } | { kind: 'square'; side: number }

const area = (shape: Shape): number => {
  switch (shape.kind) {
    case 'circle':
      return Math.PI * shape.r ** 2
    case 'square':
      return shape.side ** 2
    default:
      return shape satisfies never
  }
}
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
    title: 'Find rows that occur twice',
    language: 'sql',
    code: `SELECT email, count(*) AS times
FROM users
GROUP BY email
HAVING count(*) > 1
ORDER BY times DESC;
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
    title: 'The ten largest files below here',
    language: 'bash',
    code: `find . -type f -printf '%s %p\\n' | sort -rn | head -n 10
`,
  },
  {
    title: 'Stop an HTTP server gracefully',
    language: 'go',
    code: `ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
defer cancel()

go server.ListenAndServe()
<-ctx.Done()

grace, done := context.WithTimeout(context.Background(), 10*time.Second)
defer done()
server.Shutdown(grace)
`,
  },
  {
    title: 'Count words',
    language: 'rust',
    code: `use std::collections::HashMap;

fn count_words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}
`,
  },
  {
    title: 'Centre a box in both directions',
    language: 'css',
    code: `.page {
  display: grid;
  place-items: center;
  min-height: 100dvh;
}
`,
  },
]
