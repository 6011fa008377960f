/**
 * What makes an agent card one of A2A 0.3 or 1.0, written from the published definitions (the JSON schema of 0.3, the
 * protocol buffers of 1.0 in their JSON form): neither of the libraries carries a schema that could be asked. A card of one
 * version has nothing else in it; a card for both may have what the other version knows, so there more is let pass.
 */
import { z } from 'zod'

type Objects = (shape: z.core.$ZodLooseShape) => z.ZodObject

const text = z.string().min(1)
const texts = z.array(text)

/** `object` decides about members that the version does not know. */
function rules03(object: Objects) {
  const flow = { scopes: z.record(text, z.string()), refreshUrl: z.url().optional() }
  const flows = object({
    authorizationCode: object({ ...flow, authorizationUrl: z.url(), tokenUrl: z.url() }).optional(),
    clientCredentials: object({ ...flow, tokenUrl: z.url() }).optional(),
    implicit: object({ ...flow, authorizationUrl: z.url() }).optional(),
    password: object({ ...flow, tokenUrl: z.url() }).optional(),
  })
  const described = { description: z.string().optional() }
  const scheme = z.discriminatedUnion('type', [
    object({
      ...described,
      type: z.literal('apiKey'),
      in: z.enum(['cookie', 'header', 'query']),
      name: text,
    }),
    object({ ...described, type: z.literal('http'), scheme: text, bearerFormat: text.optional() }),
    object({ ...described, type: z.literal('oauth2'), flows, oauth2MetadataUrl: z.url().optional() }),
    object({ ...described, type: z.literal('openIdConnect'), openIdConnectUrl: z.url() }),
    object({ ...described, type: z.literal('mutualTLS') }),
  ])
  const security = z.array(z.record(text, z.array(z.string()))).optional()
  return object({
    protocolVersion: z.string().regex(/^0\.3\.\d+$/),
    name: text,
    description: text,
    version: text,
    url: z.url(),
    preferredTransport: z.enum(['JSONRPC', 'GRPC', 'HTTP+JSON']).optional(),
    additionalInterfaces: z.array(object({ url: z.url(), transport: text })).optional(),
    provider: object({ organization: text, url: z.url() }).optional(),
    documentationUrl: z.url().optional(),
    iconUrl: z.url().optional(),
    capabilities: object({
      streaming: z.boolean().optional(),
      pushNotifications: z.boolean().optional(),
      stateTransitionHistory: z.boolean().optional(),
      extensions: extensions(object),
    }),
    securitySchemes: z.record(text, scheme).optional(),
    security,
    defaultInputModes: texts.min(1),
    defaultOutputModes: texts.min(1),
    skills: z.array(object({ ...SKILL, security })).min(1),
    supportsAuthenticatedExtendedCard: z.boolean().optional(),
    signatures: signatures(object),
  })
}

function rules10(object: Objects) {
  const described = { description: z.string().optional() }
  const flow = { scopes: z.record(text, z.string()), refreshUrl: z.url().optional() }
  const flows = object({
    authorizationCode: object({
      ...flow,
      authorizationUrl: z.url(),
      tokenUrl: z.url(),
      pkceRequired: z.boolean().optional(),
    }).optional(),
    clientCredentials: object({ ...flow, tokenUrl: z.url() }).optional(),
    implicit: object({}).optional(),
    password: object({}).optional(),
    deviceCode: object({ ...flow, deviceAuthorizationUrl: z.url(), tokenUrl: z.url() }).optional(),
  }).refine((some) => Object.keys(some).length === 1, 'one flow, and only one')
  const kinds = {
    apiKeySecurityScheme: object({ ...described, location: text, name: text }).optional(),
    httpAuthSecurityScheme: object({ ...described, scheme: text, bearerFormat: text.optional() }).optional(),
    oauth2SecurityScheme: object({ ...described, flows, oauth2MetadataUrl: z.url().optional() }).optional(),
    openIdConnectSecurityScheme: object({ ...described, openIdConnectUrl: z.url() }).optional(),
    mtlsSecurityScheme: object(described).optional(),
  }
  const scheme = object(kinds).refine(
    (some) => Object.keys(some).filter((name) => name in kinds).length === 1,
    'one kind of scheme, and only one',
  )
  const securityRequirements = z
    .array(object({ schemes: z.record(text, object({ list: z.array(z.string()).optional() })).optional() }))
    .optional()
  return object({
    name: text,
    description: text,
    version: text,
    supportedInterfaces: z
      .array(
        object({
          url: z.url(),
          protocolBinding: text,
          protocolVersion: z.string().regex(/^\d+\.\d+$/),
          tenant: z.string().optional(),
        }),
      )
      .min(1),
    provider: object({ organization: text, url: z.url() }).optional(),
    documentationUrl: z.url().optional(),
    iconUrl: z.url().optional(),
    capabilities: object({
      streaming: z.boolean().optional(),
      pushNotifications: z.boolean().optional(),
      extendedAgentCard: z.boolean().optional(),
      extensions: extensions(object),
    }),
    securitySchemes: z.record(text, scheme).optional(),
    securityRequirements,
    defaultInputModes: texts.min(1),
    defaultOutputModes: texts.min(1),
    skills: z.array(object({ ...SKILL, securityRequirements })).min(1),
    signatures: signatures(object),
  })
}

const SKILL = {
  id: text,
  name: text,
  description: text,
  tags: texts,
  examples: texts.optional(),
  inputModes: texts.optional(),
  outputModes: texts.optional(),
}

function extensions(object: Objects) {
  return z
    .array(
      object({
        // The published text says a URI, which an address need not be.
        uri: z.string().regex(/^[a-z][a-z0-9+.-]*:\S+$/i),
        description: z.string().optional(),
        required: z.boolean().optional(),
        params: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional()
}

function signatures(object: Objects) {
  const header = z.record(z.string(), z.unknown()).optional()
  return z.array(object({ protected: text, signature: text, header })).optional()
}

export const CARD_RULES = {
  '0.3': { own: rules03(z.strictObject), shared: rules03(z.looseObject) },
  '1.0': { own: rules10(z.strictObject), shared: rules10(z.looseObject) },
}
