import { zedCapabilities } from "../../support/capabilities.ts";
import { compareTranscripts } from "../../support/compare_transcripts.ts";

compareTranscripts("zed", zedCapabilities, "prompts");
