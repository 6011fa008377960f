/** Where the project's own files are, whether the code runs from src/ (tests) or dist/ (built). */
import path from 'node:path'

export const projectRoot = path.resolve(import.meta.dirname, '..', '..')

export function projectFile(...parts: string[]): string {
  return path.join(projectRoot, ...parts)
}
