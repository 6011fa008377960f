/**
 * Where the tool server is reached: `/mcp`, `/sse` (the older revision's path) and `/mcp/connector`, each with and
 * without its slash, in the fast lane.
 */
import { headersWith, type ServedRoute, textReply } from '../../http/fast-lane.ts'
import type { ToolServer } from './server.ts'

export type ToolFaces = { tools: ToolServer; connector: ToolServer }

const FACES: Record<string, keyof ToolFaces> = {
  '/mcp': 'tools',
  '/sse': 'tools',
  '/mcp/connector': 'connector',
}
export const TOOL_PATHS = Object.keys(FACES)

export function toolRoutes(faces: ToolFaces, { https }: { https: boolean }): ServedRoute[] {
  const common = headersWith(https)
  return Object.entries(FACES).map(([path, face]) => ({
    path,
    async serve(request) {
      const { status, headers, body } = await faces[face].handle(request)
      const all = [...common, ...headers]
      return typeof body === 'function' ? { status, headers: all, body } : textReply(status, all, body ?? '')
    },
  }))
}
