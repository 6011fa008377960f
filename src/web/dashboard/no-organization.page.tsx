/** For somebody who belongs to no organization and opened a page of one. */
import { renderNotice } from '../kit/person.tsx'
import type { Site } from '../site.ts'
import { REGISTER_PATH } from './paths.ts'

export function renderNoOrganization(site: Site): string {
  return renderNotice({
    site,
    title: 'No organization yet',
    text: 'You belong to no organization, so there is nothing to show. Register yours, or ask an owner to invite you, and open this page again.',
    link: REGISTER_PATH,
    label: 'Register an organization',
  })
}
