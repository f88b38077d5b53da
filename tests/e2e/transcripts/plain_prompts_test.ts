import { plainCapabilities } from "../../support/capabilities.ts";
import { compareTranscripts } from "../../support/compare_transcripts.ts";

compareTranscripts("plain", plainCapabilities, "prompts");
