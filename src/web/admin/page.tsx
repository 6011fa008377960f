/** A page of the operator's: the frame, with what waits named beside the ways. */
import type { Child } from 'hono/jsx'
import { Console } from '../console/frame.tsx'
import type { FormState } from '../forms/fields.tsx'
import type { Site } from '../site.ts'
import { adminWays, type Waiting } from './nav.ts'

export type AdminPageProps = {
  site: Site
  waiting: Waiting
  title: string
  lead?: Child
  /** One of the ways in nav.ts. */
  at: string
  actions?: Child
  done?: string | null
  errors?: FormState['errors']
  children: Child
}

export function AdminPage({ waiting, ...page }: AdminPageProps) {
  return <Console {...page} name="Operator" groups={adminWays(waiting)} isOperator />
}
