/** The sets that come with the project: the demo catalog, and three made shops of the kind that imports bring. */
import { type JudgedSet, readDemoSet } from '../judged.ts'
import { makeClothingSet } from './clothing.ts'
import { makeElectronicsSet } from './electronics.ts'
import { makeHardwareSet } from './hardware.ts'

export function readOwnSets(): JudgedSet[] {
  return [readDemoSet(), makeElectronicsSet(), makeClothingSet(), makeHardwareSet()]
}
