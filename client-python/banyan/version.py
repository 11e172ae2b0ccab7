# Generated from openapi.json by `npm run generate`. Do not edit.

VERSION = '0.3.0.dev0'
