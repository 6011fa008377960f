/**
 * The shopping words of six languages (words.tsv), read once: each form of a word, spelled without accents, leads to its
 * row, and a row to its English. German is also found as it is typed without umlauts ("kopfhoerer").
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import { foldText } from '../lexical/fold.ts'
import { STOP_WORDS } from '../lexical/stop-words.ts'
import { type Foreign, lightStem } from './light-stem.ts'

/** `of` joins two nouns ("machine à café"); an article says nothing; `small` are the other words that are no thing. */
export type Sort = 'noun' | 'adjective' | 'small' | 'of' | 'article'
export type Entry = { english: string; sort: Sort }
export type Phrase = { words: readonly string[]; entry: Entry }
export type Words = {
  language: Foreign
  forms: Map<string, Entry>
  stems: Map<string, Entry>
  /** By their first word, longest first. */
  phrases: Map<string, Phrase[]>
  /** What an adjective means when no noun stands with it: "portátil" alone is a laptop. */
  alone: Map<string, Entry>
}
export type Dictionary = {
  languages: readonly Words[]
  /** Words and names that English text has, whether or not another language has them too. */
  isEnglish(word: string): boolean
}

const COLUMNS: readonly Foreign[] = ['de', 'fr', 'es', 'it', 'nl', 'pt']
const SORTS: ReadonlySet<string> = new Set<Sort>(['noun', 'adjective', 'small', 'of', 'article'])

let loaded: Dictionary | null = null

export function loadDictionary(): Dictionary {
  loaded ??= parseDictionary(fs.readFileSync(projectFile('src', 'search', 'languages', 'words.tsv'), 'utf8'))
  return loaded
}

export function parseDictionary(text: string): Dictionary {
  const languages = COLUMNS.map(emptyWords)
  const english = new Set(STOP_WORDS)
  let sort: Sort | 'english' = 'noun'
  const written = text.toLowerCase().split('\n')
  for (const [at, line] of foldText(text).split('\n').entries()) {
    if (line === '' || line.startsWith('#')) {
      sort = sectionOf(line) ?? sort
      continue
    }
    const [meaning = '', ...columns] = line.split('\t')
    for (const word of meaning.split(' ')) addEnglish(english, word)
    if (sort === 'english') continue
    const entry = { english: meaning, sort }
    for (const [column, words] of languages.entries()) addForms(words, columns[column] ?? '', entry)
    const german =
      written[at]
        ?.split('\t')[1]
        ?.split('|')
        .filter((form) => /[äöü]/.test(form)) ?? []
    if (languages[0]) addForms(languages[0], foldText(spellOut(german.join('|'))), entry)
  }
  for (const { phrases } of languages)
    for (const list of phrases.values()) list.sort((a, b) => b.words.length - a.words.length)
  return { languages, isEnglish: (word) => english.has(word) || isPluralIn(english, word) }
}

/** "headphones" brings "headphone". */
function addEnglish(english: Set<string>, word: string): void {
  if (word !== '') english.add(word)
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) english.add(word.slice(0, -1))
}

function emptyWords(language: Foreign): Words {
  return { language, forms: new Map(), stems: new Map(), phrases: new Map(), alone: new Map() }
}

function sectionOf(line: string): Sort | 'english' | null {
  const name = line.startsWith('## ') ? line.slice(3) : ''
  return name === 'english' || isSort(name) ? name : null
}

function isSort(name: string): name is Sort {
  return SORTS.has(name)
}

/** The first row that has a form keeps it. */
function addForms(words: Words, forms: string, entry: Entry): void {
  if (forms === '') return
  for (const form of forms.split('|')) {
    if (form.includes(' ')) addPhrase(words, form.split(' '), entry)
    else addForm(words, form, entry)
  }
}

function addForm({ language, forms, stems, alone }: Words, form: string, entry: Entry): void {
  const known = forms.get(form)
  if (!known) forms.set(form, entry)
  else if (known.sort === 'adjective' && entry.sort === 'noun') alone.set(form, entry)
  const stem = lightStem(form, language)
  if (!stems.has(stem)) stems.set(stem, entry)
}

function addPhrase({ phrases }: Words, words: string[], entry: Entry): void {
  const first = words[0] ?? ''
  const list = phrases.get(first)
  if (list) list.push({ words, entry })
  else phrases.set(first, [{ words, entry }])
}

function spellOut(german: string): string {
  return german.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue')
}

function isPluralIn(english: ReadonlySet<string>, word: string): boolean {
  if (!word.endsWith('s')) return false
  return english.has(word.slice(0, -1)) || (word.endsWith('es') && english.has(word.slice(0, -2)))
}
