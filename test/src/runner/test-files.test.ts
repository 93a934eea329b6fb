import { relative } from 'node:path'
import { expect } from 'chai'
import { dist, isTestPath, testFilesIn } from './test-files.js'

const namesOf = (...paths: readonly string[]): readonly string[] =>
  testFilesIn(paths).map(file => relative(dist, file).replaceAll('\\', '/'))

describe('The test runner', () => {
  it('runs the tests of a folder only, with or without a slash at its end', () => {
    const names = namesOf('test/src/mongo')
    expect(names).to.include.members(['mongo/storage.test.js', 'mongo/faults/kills.test.js'])
    expect(names.filter(name => !name.startsWith('mongo/'))).to.deep.equal([])
    for (const same of ['test/src/mongo/', './test/src/mongo']) expect(namesOf(same)).to.deep.equal(names)
    expect(namesOf('test/src/mongo/faults').every(name => name.startsWith('mongo/faults/'))).to.equal(true)
  })

  it('runs a file that is named from any folder, several paths, and all files without a path', () => {
    expect(namesOf('test/src/memory/storage.test.ts')).to.deep.equal(['memory/storage.test.js'])
    expect(namesOf('memory/storage.test.ts', 'test/src/architecture')).to.deep.equal([
      'architecture/dependency-rule.test.js',
      'memory/storage.test.js',
    ])
    expect(namesOf()).to.include.members([...namesOf('test/src/mongo'), 'memory/storage.test.js'])
  })

  it('runs nothing for a folder that does not exist', () => {
    expect(namesOf('test/src/mongodb', 'test/src/mong')).to.deep.equal([])
  })

  it('passes other arguments to mocha', () => {
    for (const path of ['test/src/mongo', './test/src', 'page.test.ts']) expect(isTestPath(path), path).to.equal(true)
    for (const argument of ['--grep', 'test', 'mongo']) expect(isTestPath(argument), argument).to.equal(false)
  })
})
