/** A page of the operator's: the frame, with what waits named beside the ways. */
import { Console, type ConsoleProps } from '../kit/console.tsx'
import { adminWays, type Waiting } from './nav.ts'

/** `at` is one of the ways in nav.ts. */
type AdminPageProps = Omit<ConsoleProps, 'name' | 'groups' | 'whose' | 'isOperator'> & { waiting: Waiting }

export function AdminPage({ waiting, ...page }: AdminPageProps) {
  return <Console {...page} name="Operator" groups={adminWays(waiting)} isOperator />
}
